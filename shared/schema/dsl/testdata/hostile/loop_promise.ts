//! memory_limit|time_limit its evaluation
const again = (): Promise<void> => Promise.resolve().then(again);
void again();
