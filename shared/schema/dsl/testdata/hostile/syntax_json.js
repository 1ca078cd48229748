//! syntax @2:9 Expected ";" but found ":"
{ "name": "notes", "fields": {} }
