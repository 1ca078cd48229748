// What a file may do beyond writing everything down once.
import {
  boolean, collection, date, datetime, item, json, list, markdown, number, object, richText, rule, singleton, slug, text,
  type Field, type Rule,
} from "svc/schema";

const levels = ["low", "high"] as const;
const short = { maxLength: 80, localized: true } as const;
const derived = text(short);
const common = { note: text(), weight: number({ min: -1.5 }) };
const house: Rule<"title">[] = [rule.required(["title"]), rule.length("title", { max: 60 })];
const stamped = (label: string): Field<"datetime", false> => datetime({ label, min: "2026-01-01T00:00:00Z" });

export const notes = collection({
  name: "notes",
  kind: "collection",
  visibility: "private",
  titleField: null,
  path: null,
  fields: {},
});

export const things = collection({
  name: "things",
  titleField: "rank",
  policy: [...house, rule.bannedTerms(["foo", "bar"]), rule.length("rank", { min: 1 }), rule.altText()],
  fields: {
    title: derived,
    slug: slug(),
    rank: text({ enum: levels, default: "low" }),
    begins: stamped("From"),
    ends: stamped("Until"),
    active: boolean(),
    days: list({ of: item.date({ min: "2026-01-01", max: "2026-12-31" }), localized: true }),
    moments: list({ of: item.datetime({ max: "2026-12-31T23:59:59+14:00" }) }),
    numbers: list({ of: item.number({ integer: true, min: 0, max: 9 }) }),
    flags: list({ of: item.boolean() }),
    proses: list({ of: item.markdown({ minLength: 1 }) }),
    values: list({ of: item.json() }),
    related: list({ of: item.reference({ to: "notes" }) }),
    files: list({ of: item.asset() }),
    videos: list({ of: item.asset({ allowed: ["video/*", "video/mp4"] }) }),
    rows: list({ of: item.object({ fields: { cells: list({ of: item.text() }), on: date() } }) }),
    tree: object({
      fields: { one: object({ fields: { two: object({ fields: { three: object({ fields: { four: richText() } }) } }) } }) },
    }),
    config: json({ default: { depth: 2, names: ["a", null], nested: { on: true } } }),
    body: markdown({ required: true }),
  },
});

export const counted = collection({ name: "counted", titleField: "note", fields: { ...common, extra: json() } });

export const banner = collection({ name: "banner", kind: "singleton", fields: { text: text() } });

export const footer = singleton({ name: "footer", kind: "singleton", titleField: "line", fields: { line: text() } });
