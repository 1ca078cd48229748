import { boolean, collection, date, item, list, markdown, number, object, reference, rule, slug, text } from "svc/schema";

export default collection({
  name: "articles",
  label: "Articles",
  visibility: "public",
  titleField: "title",
  path: "/articles/{slug}",
  guidance:
    "Write for a curious reader who has four minutes and a cup of tea. Open with a thing you can see, hear or touch; explain one idea well rather than three badly; end before the reader does. Short words where they will do. No exclamation marks.",
  policy: [
    rule.required(["standfirst", "body", "desk"], { reason: "An article goes out complete, and from a desk." }),
    rule.length("standfirst", { min: 40, max: 220, reason: "The standfirst has to fit under a headline on a phone." }),
    rule.bannedTerms(["must-see", "hidden gem", "Geheimtipp"], {
      fields: ["title", "standfirst", "body"],
      reason: "Let the reader decide how good it is.",
    }),
  ],
  fields: {
    title: text({ label: "Title", required: true, localized: true, maxLength: 70 }),
    slug: slug({ label: "Address", from: "title" }),
    standfirst: text({
      label: "Standfirst",
      description: "One or two sentences that say why to read on.",
      localized: true,
      multiline: true,
      maxLength: 240,
    }),
    body: markdown({ label: "Body", localized: true }),
    desk: reference({ label: "Desk", description: "The department that looks after the article.", to: "desks" }),
    categories: reference({ label: "Categories", to: "categories", multiple: true }),
    publishedOn: date({ label: "Date on the page", min: "2026-01-01" }),
    readingMinutes: number({ label: "Reading time in minutes", integer: true, min: 1, max: 60 }),
    featured: boolean({ label: "Featured", default: false }),
    tags: list({
      label: "Tags",
      description: "Lower-case keywords, in English for both editions.",
      of: item.text({ minLength: 2, maxLength: 24 }),
      maxItems: 6,
    }),
    seo: object({
      label: "Search engines",
      localized: true,
      fields: {
        title: text({ label: "Page title", maxLength: 70 }),
        description: text({ label: "Description", maxLength: 160 }),
      },
    }),
  },
});
