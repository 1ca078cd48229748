import { blocks, collection, date, exact, json, list, number, reference, text } from "svc/schema";

text({ maxLength: 80 });
// @ts-expect-error: a length is a number
text({ maxLength: "80" });
// @ts-expect-error: a pattern is a string, since RE2 is not the language of JavaScript
text({ pattern: /^a/ });
// @ts-expect-error: required is true or false
text({ required: "yes" });
// @ts-expect-error: the options are an object
text("Title");
date({ min: "2026-01-31" });
// @ts-expect-error: a date is a string
date({ min: new Date(0) });
number({ max: 3, default: exact("0.10") });
// @ts-expect-error: a bound of a number is a number, or exact
number({ max: "3" });
// @ts-expect-error: so is its default
number({ default: 1n });
json({ default: { a: [1, exact("1.50")] } });
// @ts-expect-error: JSON has no functions
json({ default: () => 1 });
// @ts-expect-error: exact takes text
exact(0.1);
reference({ to: "authors" });
// @ts-expect-error: a reference leads somewhere
reference({});
// @ts-expect-error: the same
reference();
// @ts-expect-error: a list holds something
list({});
// @ts-expect-error: blocks are listed
blocks({});
collection({ name: "posts", path: "/blog/{slug}", visibility: "public", fields: {} });
// @ts-expect-error: a path begins with a slash
collection({ name: "posts", path: "blog/{slug}", fields: {} });
// @ts-expect-error: public or private
collection({ name: "posts", visibility: "open", fields: {} });
// @ts-expect-error: collection or singleton
collection({ name: "posts", kind: "single", fields: {} });
// @ts-expect-error: a collection has a name
collection({ fields: {} });
// @ts-expect-error: a collection has fields
collection({ name: "posts" });
