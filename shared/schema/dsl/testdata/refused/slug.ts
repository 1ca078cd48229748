import { block, collection, object, singleton, slug, text } from "svc/schema";

collection({ name: "posts", fields: { title: text(), slug: slug({ from: "title" }) } });
// @ts-expect-error: made from a field that is not there
collection({ name: "posts", fields: { title: text(), slug: slug({ from: "titel" }) } });
const apart = { title: text(), slug: slug({ from: "titel" }) };
// @ts-expect-error: the same, declared apart
collection({ name: "posts", fields: apart });
collection({
  name: "posts",
  fields: {
    // @ts-expect-error: one slug at most
    slug: slug(),
    // @ts-expect-error: this makes two
    other: slug(),
  },
});
slug({ required: true });
// @ts-expect-error: a slug is not localized
slug({ localized: true });
singleton({ name: "home", fields: { title: text() } });
// @ts-expect-error: a singleton has no slug
singleton({ name: "home", fields: { slug: slug() } });
collection({ name: "home", kind: "singleton", fields: { title: text() } });
// @ts-expect-error: however it is said
collection({ name: "home", kind: "singleton", fields: { slug: slug() } });
object({ fields: { title: text() } });
// @ts-expect-error: a slug is not nested
object({ fields: { slug: slug() } });
// @ts-expect-error: nor in a block
block({ key: "quote", fields: { slug: slug() } });
