import { collection, text } from "svc/schema";
// @ts-expect-error: there is no such builder
import { string } from "svc/schema";
// @ts-expect-error: there is no such module
import * as other from "svc/other";

// @ts-expect-error: a collection is no field
collection({ name: "posts", fields: { authors: collection({ name: "authors", fields: {} }) } });
// @ts-expect-error: neither is what looks like one
collection({ name: "posts", fields: { title: { type: "text" } } });
// @ts-expect-error: fields have keys
collection({ name: "posts", fields: [text()] });
