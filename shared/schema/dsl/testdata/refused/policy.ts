import { collection, rule, singleton, text } from "svc/schema";

const fields = { title: text(), body: text() };

collection({ name: "posts", policy: [rule.length("title", { max: 60 }), rule.altText()], fields });
// @ts-expect-error: no such field
collection({ name: "posts", policy: [rule.length("titel", { max: 60 })], fields });
collection({ name: "posts", policy: [rule.required(["title", "body"])], fields });
// @ts-expect-error: one of them is not there
collection({ name: "posts", policy: [rule.required(["title", "bodi"])], fields });
collection({ name: "posts", policy: [rule.bannedTerms(["foo"]), rule.bannedTerms(["foo"], { fields: ["body"] })], fields });
// @ts-expect-error: no such field
collection({ name: "posts", policy: [rule.bannedTerms(["foo"], { fields: ["bodi"] })], fields });
singleton({ name: "home", policy: [rule.required(["title"])], fields });
// @ts-expect-error: no such field
singleton({ name: "home", policy: [rule.required(["headline"])], fields });
const house = [rule.required(["headline"])];
// @ts-expect-error: the same, declared apart
collection({ name: "posts", policy: house, fields });

// @ts-expect-error: no bound
rule.length("title", {});
// @ts-expect-error: no bound
rule.length("title");
// @ts-expect-error: a bound is a number
rule.length("title", { max: "60" });
// @ts-expect-error: no field
rule.required([]);
// @ts-expect-error: fields are listed
rule.required("title");
// @ts-expect-error: no term
rule.bannedTerms([]);
// @ts-expect-error: no field
rule.bannedTerms(["foo"], { fields: [] });
// @ts-expect-error: there is no such rule
rule.spelling();
// @ts-expect-error: a rule is built
collection({ name: "posts", policy: [{ rule: "altText" }], fields });
// @ts-expect-error: a field is no rule
collection({ name: "posts", policy: [text()], fields });
