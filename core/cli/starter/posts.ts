import { asset, block, blocks, collection, date, item, list, markdown, reference, rule, slug, text } from "svc/schema";
import { seo } from "./seo";

/** What the site is about: one entry is one article. */
export default collection({
  name: "posts",
  label: "Posts",
  visibility: "public", // without this line, a read needs a key
  titleField: "title",
  path: "/blog/{slug}",
  guidance: "Say what it is about in the first sentence.",
  policy: [
    rule.required(["summary"], { reason: "A post without one looks broken in lists." }),
    rule.altText({ reason: "Not everybody sees the picture." }),
  ],
  fields: {
    // A localized field holds a value for each locale of the project.
    title: text({ label: "Title", required: true, localized: true, maxLength: 80 }),
    slug: slug({ label: "Address", from: "title" }),
    summary: text({ label: "Summary", localized: true, multiline: true, maxLength: 240 }),
    author: reference({ label: "Author", to: "authors" }),
    publishedOn: date({ label: "Date on the page" }),
    cover: asset({ label: "Cover", allowed: ["image/*"] }),
    tags: list({ label: "Tags", of: item.text({ minLength: 2, maxLength: 24 }), maxItems: 8 }),
    sections: blocks({
      label: "Sections",
      allowed: [
        block({ key: "prose", label: "Text", fields: { body: markdown({ required: true }) } }),
        block({ key: "quote", label: "Quote", fields: { text: text({ required: true, multiline: true }), by: text() } }),
      ],
    }),
    seo,
  },
});
