import { asset, block, blocks, number, object, exact, reference, singleton, text } from "svc/schema";

export default [
  singleton({
    name: "home",
    label: "Home page",
    visibility: "public",
    path: "/{locale}",
    fields: {
      headline: text({ required: true, localized: true, maxLength: 60 }),
      blocks: blocks({
        allowed: [
          block({ key: "hero", fields: { image: asset({ allowed: ["image/*"] }), kicker: text() } }),
          block({ key: "list", label: "Entries", fields: { entries: reference({ to: "home", multiple: true }) } }),
        ],
      }),
      limits: object({
        fields: { ratio: number({ min: 0.1, max: exact("1e21"), default: exact("12345678901234567890.5") }) },
      }),
    },
  }),
];
