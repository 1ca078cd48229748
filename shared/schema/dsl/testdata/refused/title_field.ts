import { collection, singleton, slug, text } from "svc/schema";

collection({ name: "posts", titleField: "title", fields: { title: text(), slug: slug() } });
collection({ name: "posts", titleField: "slug", fields: { title: text(), slug: slug() } });
// @ts-expect-error: no such field
collection({ name: "posts", titleField: "titel", fields: { title: text(), slug: slug() } });
// @ts-expect-error: no field at all
collection({ name: "posts", titleField: "title", fields: {} });
singleton({ name: "home", titleField: "title", fields: { title: text() } });
// @ts-expect-error: no such field
singleton({ name: "home", titleField: "name", fields: { title: text() } });
