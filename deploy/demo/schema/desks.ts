import { collection, markdown, number, slug, text } from "svc/schema";

export default collection({
  name: "desks",
  label: "Desks",
  visibility: "public",
  titleField: "name",
  path: "/desks/{slug}",
  guidance:
    "A desk is a department with a point of view. Say what it looks at and, just as clearly, what it leaves alone.",
  fields: {
    name: text({ label: "Name", required: true, localized: true, maxLength: 40 }),
    slug: slug({ label: "Address", from: "name", required: true }),
    motto: text({ label: "Motto", localized: true, maxLength: 80 }),
    about: markdown({ label: "About the desk", localized: true }),
    colour: text({
      label: "Colour",
      description: "A hex colour for rules and labels.",
      pattern: "^#[0-9a-f]{6}$",
      ui: { placeholder: "#2f5d62" },
    }),
    position: number({ label: "Place in the menu", integer: true, min: 1 }),
  },
});
