//! thrown threw an object, and no Error with a message
throw { toString() { for (;;) {} }, get message() { for (;;) {} }, get name() { for (;;) {} } };
