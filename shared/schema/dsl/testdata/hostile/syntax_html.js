//! syntax @2:1 The JSX syntax extension is not currently enabled
<!doctype html><title>404</title>
