import { asset, block, blocks, collection, item, list, object, richText, rule, slug, text } from "svc/schema";

text({ maxLength: 80 });
// @ts-expect-error: the option is spelled maxLength
text({ maxLenght: 80 });
// @ts-expect-error: a text has no min
text({ min: 1 });
// @ts-expect-error: only assets and references can be multiple
text({ multiple: true });
// @ts-expect-error: the builder says the type
text({ type: "text" });
text({ ui: { widget: "line" } });
// @ts-expect-error: editors know no icon
text({ ui: { icon: "line" } });

richText({ label: "Prose" });
// @ts-expect-error: rich text has no default
richText({ default: "" });
asset({ multiple: true });
// @ts-expect-error: an asset has no default
asset({ default: "ast_1" });
slug({ label: "Address" });
// @ts-expect-error: a slug has no pattern of its own
slug({ pattern: "^a" });
list({ of: item.text(), maxItems: 8 });
// @ts-expect-error: a list counts items
list({ of: item.text(), maxLength: 8 });
// @ts-expect-error: a list has no default
list({ of: item.text(), default: [] });
object({ label: "Group", fields: {} });
// @ts-expect-error: an object has no bounds
object({ label: "Group", fields: {}, minItems: 1 });
block({ key: "quote", fields: {} });
// @ts-expect-error: a block has no description
block({ key: "quote", fields: {}, description: "x" });
blocks({ allowed: [block({ key: "quote", fields: {} })] });
// @ts-expect-error: the option is allowed
blocks({ of: [block({ key: "quote", fields: {} })] });

collection({ name: "posts", fields: {} });
// @ts-expect-error: there is no slug option; a slug is a field
collection({ name: "posts", fields: {}, slug: "title" });
rule.altText({ reason: "readers who listen" });
// @ts-expect-error: the rule is about every image
rule.altText({ field: "cover" });
rule.required(["title"], { reason: "x" });
// @ts-expect-error: required has no bounds
rule.required(["title"], { min: 1 });
