//! syntax @2:10 Unexpected "{"
{ import { text } from "svc/schema"; }
