import { block, blocks, collection, item, list, object, text } from "svc/schema";

collection({ name: "posts", fields: { title: text({ localized: true }) } });
collection({ name: "posts", fields: { seo: object({ localized: true, fields: { title: text({ localized: false }) } }) } });
// @ts-expect-error: only a top-level field
collection({ name: "posts", fields: { seo: object({ fields: { title: text({ localized: true }) } }) } });
const title = text({ localized: true });
// @ts-expect-error: the same, declared apart
object({ fields: { title } });
// @ts-expect-error: nor in the items of a list
list({ of: item.object({ fields: { title: text({ localized: true }) } }) });
// @ts-expect-error: nor in a block
blocks({ allowed: [block({ key: "quote", fields: { title: text({ localized: true }) } })] });
// @ts-expect-error: nor three deep
object({ fields: { a: object({ fields: { b: list({ of: item.text(), localized: true }) } }) } });
