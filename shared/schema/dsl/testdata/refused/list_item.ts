import { blocks, item, list, number, object, richText, slug, text } from "svc/schema";

list({ of: item.text({ maxLength: 9 }) });
// @ts-expect-error: the items are not a field
list({ of: text({ maxLength: 9 }) });
// @ts-expect-error: not called
list({ of: item.text });
list({ of: item.object({ fields: { inner: list({ of: item.text() }) } }) });
// @ts-expect-error: a list in a list
list({ of: list({ of: item.text() }) });
// @ts-expect-error: the same
list({ of: item.list({ of: item.text() }) });
// @ts-expect-error: a slug in a list
list({ of: slug() });
// @ts-expect-error: the same
list({ of: item.slug() });
// @ts-expect-error: rich text in a list
list({ of: richText() });
// @ts-expect-error: the same
list({ of: item.richText() });
// @ts-expect-error: there are no blocks in lists
list({ of: item.blocks() });
object({ fields: { count: number() } });
// @ts-expect-error: the items of a list are no field
object({ fields: { count: item.number() } });
// @ts-expect-error: neither is the builder itself
object({ fields: { count: number } });

// @ts-expect-error: items have no label
item.text({ label: "Tag" });
// @ts-expect-error: items have no description
item.number({ description: "x" });
// @ts-expect-error: items are never required
item.date({ required: true });
// @ts-expect-error: items have no default
item.markdown({ default: "x" });
// @ts-expect-error: booleans have no options
item.boolean({ default: false });
// @ts-expect-error: nor has JSON
item.json({ default: null });
// @ts-expect-error: a reference of a list is one
item.reference({ to: "authors", multiple: true });
// @ts-expect-error: it leads somewhere
item.reference();
// @ts-expect-error: items are not localized
item.object({ localized: true, fields: {} });
