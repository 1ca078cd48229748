/**
 * Builders of collections. A schema file exports what they return: one collection by default, an array of them, or
 * several by name.
 *
 * ```ts
 * import { collection, list, item, slug, text } from "svc/schema";
 *
 * export default collection({
 *   name: "posts",
 *   titleField: "title",
 *   path: "/blog/{slug}",
 *   fields: {
 *     title: text({ required: true, maxLength: 80 }),
 *     slug: slug({ from: "title" }),
 *     tags: list({ of: item.text({ maxLength: 24 }), maxItems: 8 }),
 *   },
 * });
 * ```
 *
 * Nothing beyond these builders is needed, or there, when a schema file is evaluated: no Node.js, no clock, no network.
 *
 * @packageDocumentation
 */

/** Tells apart what the builders return. It exists for the compiler alone. */
declare const kind: unique symbol;
declare const reason: unique symbol;

/** No value is of this type: what stands where it is asked for is wrong, for the reason it names. */
interface Mistake<Reason extends string> {
  readonly [reason]: Reason;
}

/** T, which the place it stands in must not help to infer. */
type Known<T> = [T][T extends unknown ? 0 : never];

/** An array of one value at least. */
type Some<T> = readonly [T, ...T[]];

/** A JSON value. */
export type Json = null | boolean | number | string | Exact | readonly Json[] | { readonly [key: string]: Json };

/** The type of a field. */
export type FieldType =
  | "text"
  | "number"
  | "boolean"
  | "date"
  | "datetime"
  | "markdown"
  | "json"
  | "asset"
  | "reference"
  | "slug"
  | "list"
  | "object"
  | "richText"
  | "blocks";

/** The type of the items of a list: there are no lists in lists, and no slugs, richText or blocks. */
export type ItemType = Exclude<FieldType, "slug" | "list" | "richText" | "blocks">;

/** A number or a JSON value whose text counts, made by {@link exact}. */
export interface Exact {
  readonly [kind]: "exact";
}

/** A field, made by a builder such as {@link text}. */
export interface Field<Type extends FieldType = FieldType, Localized extends boolean = boolean, From = unknown> {
  readonly [kind]: "field";
  readonly type: Type;
  /** Whether it is localized: a field that may be stands at the top level only. For the compiler alone. */
  readonly localized?: Localized;
  /** The field that a slug is derived from. For the compiler alone. */
  readonly from?: From;
}

/** What an object or a block may hold: fields that are neither slugs nor localized. */
export type NestedField = Field<Exclude<FieldType, "slug">, false>;

/** The fields of a collection by key, in the order that is kept. A key starts with a letter; letters, digits and underscores follow. */
export type Fields = { readonly [key: string]: Field };

/** The fields of an object or a block by key, in the order that is kept. A key starts with a letter; letters, digits and underscores follow. */
export type NestedFields = { readonly [key: string]: NestedField };

/** The items of a list, made by a function of {@link item}. */
export interface Item<Type extends ItemType = ItemType> {
  readonly [kind]: "item";
  readonly type: Type;
}

/** One block of a {@link blocks} field, made by {@link block}. */
export interface Block {
  readonly [kind]: "block";
  readonly key: string;
}

/** A policy rule, made by a function of {@link rule}, about fields that a collection must have. */
export interface Rule<Field extends string = string> {
  readonly [kind]: "rule";
  /** The fields it names. For the compiler alone. */
  readonly names?: Field;
}

/** A collection, made by {@link collection} or {@link singleton}. */
export interface Collection<Name extends string = string> {
  readonly [kind]: "collection";
  /** The name, for references from other files: `reference({ to: authors.name })`. */
  readonly name: Name;
}

/** Hints for editors. They never affect what values a field takes. */
export interface UI {
  /** Which widget edits the field. */
  widget?: string;
  /** What an empty input shows. */
  placeholder?: string;
  /** A text that helps those who fill the field. */
  helpText?: string;
  /** The group of fields it is shown in. */
  group?: string;
  /**
   * Whether editors hide the field.
   * @defaultValue false
   */
  hidden?: boolean;
}

/** What every field of an object or a block may say. */
export interface FieldOptions<Localized extends boolean = boolean> {
  /**
   * The name that people see.
   * @defaultValue the key of the field
   */
  label?: string;
  /** What the field is for. */
  description?: string;
  /**
   * Whether every entry must have a value, drafts as well. To ask for one only at publication, use `rule.required`.
   * @defaultValue false
   */
  required?: boolean;
  /**
   * Whether the field has one value for each locale. Only top-level fields can be localized, and no slug. A required one
   * must have the value of the default locale; the others may be missing and fall back on reads.
   * @defaultValue false
   */
  localized?: Localized;
  /** Hints for editors. They never affect what values the field takes. */
  ui?: UI;
}

/** Bounds of a text, counted in characters (Unicode code points). */
export interface LengthOptions {
  /**
   * The fewest characters (Unicode code points), from 0 up.
   * @defaultValue no bound
   */
  minLength?: number;
  /**
   * The most characters (Unicode code points), from 0 up.
   * @defaultValue no bound
   */
  maxLength?: number;
}

/** What the items of a list of texts may say. */
export interface TextItemOptions<Member extends string = string> extends LengthOptions {
  /**
   * A regular expression that must match somewhere in the value; `^` and `$` bind it to the whole. It is of RE2, which
   * has neither look-around nor back-references.
   * @defaultValue none
   */
  pattern?: string;
  /**
   * The only values allowed, at least one.
   * @defaultValue every value
   */
  enum?: Some<Member>;
}

/** The options of {@link text}. */
export interface TextOptions<Member extends string = string, Localized extends boolean = boolean>
  extends FieldOptions<Localized>,
    TextItemOptions<Member> {
  /**
   * Whether editors offer more than one line.
   * @defaultValue false
   */
  multiline?: boolean;
  /**
   * The value of new entries that have none. It must be one of `enum`, where there is one, and fit the other options.
   * @defaultValue none
   */
  default?: Known<Member>;
}

/** What the items of a list of numbers may say. */
export interface NumberItemOptions {
  /**
   * Whether fractions are refused.
   * @defaultValue false
   */
  integer?: boolean;
  /**
   * The least value, itself allowed.
   * @defaultValue no bound
   */
  min?: number | Exact;
  /**
   * The greatest value, itself allowed.
   * @defaultValue no bound
   */
  max?: number | Exact;
}

/** The options of {@link number}. */
export interface NumberOptions<Localized extends boolean = boolean> extends FieldOptions<Localized>, NumberItemOptions {
  /**
   * The value of new entries that have none.
   * @defaultValue none
   */
  default?: number | Exact;
}

/** The options of {@link boolean}. */
export interface BooleanOptions<Localized extends boolean = boolean> extends FieldOptions<Localized> {
  /**
   * The value of new entries that have none.
   * @defaultValue none
   */
  default?: boolean;
}

/** What the items of a list of dates may say. */
export interface DateItemOptions {
  /**
   * The first date, itself allowed, such as "2026-01-31".
   * @defaultValue no bound
   */
  min?: string;
  /**
   * The last date, itself allowed, such as "2026-12-31".
   * @defaultValue no bound
   */
  max?: string;
}

/** The options of {@link date}. */
export interface DateOptions<Localized extends boolean = boolean> extends FieldOptions<Localized>, DateItemOptions {
  /**
   * The value of new entries that have none, such as "2026-01-31".
   * @defaultValue none
   */
  default?: string;
}

/** What the items of a list of datetimes may say. */
export interface DatetimeItemOptions {
  /**
   * The first moment, itself allowed, with its offset: "2026-01-31T09:00:00+01:00".
   * @defaultValue no bound
   */
  min?: string;
  /**
   * The last moment, itself allowed, with its offset: "2026-12-31T23:59:59Z".
   * @defaultValue no bound
   */
  max?: string;
}

/** The options of {@link datetime}. */
export interface DatetimeOptions<Localized extends boolean = boolean>
  extends FieldOptions<Localized>,
    DatetimeItemOptions {
  /**
   * The value of new entries that have none, with its offset: "2026-01-31T09:00:00+01:00".
   * @defaultValue none
   */
  default?: string;
}

/** The options of {@link markdown}. */
export interface MarkdownOptions<Localized extends boolean = boolean> extends FieldOptions<Localized>, LengthOptions {
  /**
   * The value of new entries that have none.
   * @defaultValue none
   */
  default?: string;
}

/** The options of {@link json}. */
export interface JsonOptions<Localized extends boolean = boolean> extends FieldOptions<Localized> {
  /**
   * The value of new entries that have none: any JSON value. `null` is the same as none.
   * @defaultValue none
   */
  default?: Json;
}

/** A family of content types such as "image/*", one type such as "image/png", or everything. */
export type MimeFamily =
  | "*/*"
  | "image/*"
  | "video/*"
  | "audio/*"
  | "font/*"
  | "text/*"
  | "application/pdf"
  | (`${string}/${string}` & {});

/** What the items of a list of assets may say. */
export interface AssetItemOptions {
  /**
   * The content types allowed, at least one: families such as "image/*", or types such as "image/png".
   * @defaultValue every type
   */
  allowed?: Some<MimeFamily>;
}

/** The options of {@link asset}. */
export interface AssetOptions<Localized extends boolean = boolean> extends FieldOptions<Localized>, AssetItemOptions {
  /**
   * Whether the field holds an array of assets.
   * @defaultValue false
   */
  multiple?: boolean;
}

/** What the items of a list of references say. */
export interface ReferenceItemOptions {
  /** The name of the collection it leads to, which must be in the same folder: "authors", or `authors.name`. */
  to: string;
}

/** The options of {@link reference}. */
export interface ReferenceOptions<Localized extends boolean = boolean>
  extends FieldOptions<Localized>,
    ReferenceItemOptions {
  /**
   * Whether the field holds an array of entries.
   * @defaultValue false
   */
  multiple?: boolean;
}

/** The options of {@link slug}. */
export interface SlugOptions<From extends string = string> extends Omit<FieldOptions, "localized"> {
  /**
   * The top-level field that a missing slug is made from.
   * @defaultValue the `titleField` of the collection, or else the slug field itself
   */
  from?: From;
}

/** Bounds of a number of items. */
export interface CountOptions {
  /**
   * The fewest items, from 0 up.
   * @defaultValue no bound
   */
  minItems?: number;
  /**
   * The most items, from 0 up.
   * @defaultValue no bound
   */
  maxItems?: number;
}

/** The options of {@link list}. */
export interface ListOptions<Localized extends boolean = boolean> extends FieldOptions<Localized>, CountOptions {
  /** What the list holds: `item.text()`, `item.object({ … })`, … A list cannot hold lists; put an object around the inner one. */
  of: Item;
}

/** What the items of a list of objects say. */
export interface ObjectItemOptions {
  /** The nested fields by key, in the order that is kept. They can be neither localized nor slugs. */
  fields: NestedFields;
}

/** The options of {@link object}. */
export interface ObjectOptions<Localized extends boolean = boolean>
  extends FieldOptions<Localized>,
    ObjectItemOptions {}

/** The options of {@link richText}. */
export interface RichTextOptions<Localized extends boolean = boolean> extends FieldOptions<Localized> {}

/** The options of {@link blocks}. */
export interface BlocksOptions<Localized extends boolean = boolean> extends FieldOptions<Localized>, CountOptions {
  /** The blocks that may stand here, at least one, each with a key of its own. */
  allowed: Some<Block>;
}

/** The options of {@link block}. */
export interface BlockOptions {
  /** The type of the block in values, such as "quote". It starts with a letter; letters, digits and underscores follow. */
  key: string;
  /**
   * The name that people see.
   * @defaultValue the key
   */
  label?: string;
  /** The fields of the block by key, in the order that is kept. They can be neither localized nor slugs. */
  fields: NestedFields;
}

/** A text on one line or several. */
export function text<Member extends string = string, Localized extends boolean = false>(
  options?: TextOptions<Member, Localized>,
): Field<"text", Known<Localized>>;

/** A number, kept exactly as it is written. */
export function number<Localized extends boolean = false>(options?: NumberOptions<Localized>): Field<"number", Known<Localized>>;

/** True or false. */
export function boolean<Localized extends boolean = false>(
  options?: BooleanOptions<Localized>,
): Field<"boolean", Known<Localized>>;

/** A date of the calendar, such as "2026-01-31". */
export function date<Localized extends boolean = false>(options?: DateOptions<Localized>): Field<"date", Known<Localized>>;

/** A moment with its offset, such as "2026-01-31T09:00:00+01:00". */
export function datetime<Localized extends boolean = false>(
  options?: DatetimeOptions<Localized>,
): Field<"datetime", Known<Localized>>;

/** A text in Markdown. */
export function markdown<Localized extends boolean = false>(
  options?: MarkdownOptions<Localized>,
): Field<"markdown", Known<Localized>>;

/** Any JSON value. Nothing looks into it. */
export function json<Localized extends boolean = false>(options?: JsonOptions<Localized>): Field<"json", Known<Localized>>;

/** An asset, or several: an image, a video, a document. */
export function asset<Localized extends boolean = false>(options?: AssetOptions<Localized>): Field<"asset", Known<Localized>>;

/** An entry of another collection, or several. */
export function reference<Localized extends boolean = false>(
  options: ReferenceOptions<Localized>,
): Field<"reference", Known<Localized>>;

/**
 * The address of an entry, in lower-case letters, digits and single hyphens. A collection has one slug at most, at the
 * top level, and it is not localized; a singleton has none.
 */
export function slug<From extends string = string>(options?: SlugOptions<From>): Field<"slug", false, Known<From>>;

/** An ordered list of values of one type. */
export function list<Localized extends boolean = false>(options: ListOptions<Localized>): Field<"list", Known<Localized>>;

/** A group of fields. Objects and lists of objects go four deep at most; blocks between them do not count. */
export function object<Localized extends boolean = false>(options: ObjectOptions<Localized>): Field<"object", Known<Localized>>;

/** A formatted text: a tree of nodes with links, references to entries and embedded assets. */
export function richText<Localized extends boolean = false>(
  options?: RichTextOptions<Localized>,
): Field<"richText", Known<Localized>>;

/** A sequence of blocks, each of one of the types that it allows. Blocks in blocks go four deep at most. */
export function blocks<Localized extends boolean = false>(options: BlocksOptions<Localized>): Field<"blocks", Known<Localized>>;

/** One type of block for {@link blocks}. */
export function block(options: BlockOptions): Block;

/** The builders of a list's items. They have no label, description, required or default. */
export const item: {
  /** Texts. */
  text<Member extends string = string>(options?: TextItemOptions<Member>): Item<"text">;
  /** Numbers, kept exactly as they are written. */
  number(options?: NumberItemOptions): Item<"number">;
  /** True or false. */
  boolean(): Item<"boolean">;
  /** Dates of the calendar. */
  date(options?: DateItemOptions): Item<"date">;
  /** Moments with their offset. */
  datetime(options?: DatetimeItemOptions): Item<"datetime">;
  /** Texts in Markdown. */
  markdown(options?: LengthOptions): Item<"markdown">;
  /** Any JSON values. */
  json(): Item<"json">;
  /** Entries of another collection. */
  reference(options: ReferenceItemOptions): Item<"reference">;
  /** Assets. */
  asset(options?: AssetItemOptions): Item<"asset">;
  /** Groups of fields. */
  object(options: ObjectItemOptions): Item<"object">;
};

/** What every policy rule may say. */
export interface RuleOptions {
  /** Why there is the rule. Those who break it read this. */
  reason?: string;
}

/** The bounds of {@link rule}.length: a min, a max, or both. */
export type LengthRuleOptions = RuleOptions & {
  /**
   * Whether words count, not characters.
   * @defaultValue false
   */
  words?: boolean;
} & (
    | {
        /** The least length, from 1 up. */
        min: number;
        /**
         * The greatest length.
         * @defaultValue no bound
         */
        max?: number;
      }
    | {
        /**
         * The least length, from 1 up.
         * @defaultValue no bound
         */
        min?: number;
        /** The greatest length. */
        max: number;
      }
  );

/** The options of {@link rule}.bannedTerms. */
export interface BannedTermsOptions<Field extends string = string> extends RuleOptions {
  /**
   * The only fields to look into, at least one.
   * @defaultValue every field of the entry
   */
  fields?: Some<Field>;
}

/** The builders of policy rules. A rule holds entries back from publication; drafts may break it. */
export const rule: {
  /** The field must have a length within the bounds, in characters or words. Prose is measured as readers see it. */
  length<Field extends string>(field: Field, options: LengthRuleOptions): Rule<Known<Field>>;
  /** The fields must not be empty. */
  required<Field extends string>(fields: Some<Field>, options?: RuleOptions): Rule<Known<Field>>;
  /** The terms must not occur in the entry, or in the fields named. */
  bannedTerms<Field extends string = never>(
    terms: Some<string>,
    options?: BannedTermsOptions<Field>,
  ): Rule<Known<string extends Field ? never : Field>>;
  /** Every image that the entry refers to must have an alternative text. */
  altText(options?: RuleOptions): Rule<never>;
};

/**
 * A number or a JSON value by its text, where JavaScript would keep another one: `exact("12345678901234567890.5")`.
 * It may stand where a `min`, a `max` or a `default` takes a number, and in the `default` of {@link json}.
 */
export function exact(text: string): Exact;

/** Whether a collection holds many entries or exactly one. */
export type Kind = "collection" | "singleton";

/** The keys of the slug fields among Fields. */
type SlugKeys<F> = { [K in keyof F]: F[K] extends Field<"slug"> ? K : never }[keyof F];

/** Whether T is a union of several types. */
type IsUnion<T, All = T> = [T] extends [never] ? false : T extends unknown ? ([All] extends [T] ? false : true) : never;

/** Fields, or the reason why one of them cannot be there. */
type Checked<F extends Fields, K extends Kind> = {
  readonly [Key in keyof F]: F[Key] extends Field<"slug", false, infer From>
    ? K extends "singleton"
      ? Mistake<"a singleton has no slug">
      : IsUnion<SlugKeys<F>> extends true
        ? Mistake<"a collection has one slug field at most">
        : string extends From
          ? F[Key]
          : From extends keyof F
            ? F[Key]
            : Field<"slug", false, keyof F>
    : F[Key];
};

/** The options of {@link singleton}. */
export interface SingletonOptions<F extends Fields = Fields, Name extends string = string> {
  /** The key of the collection, which never changes: lower-case letters, digits and underscores, a letter first, at most 64. */
  name: Name;
  /**
   * The name that people see.
   * @defaultValue the name
   */
  label?: string;
  /**
   * Who may read what is published. A private collection is read with a credential only.
   * @defaultValue "private"
   */
  visibility?: "public" | "private";
  /**
   * The top-level field that entries are called by.
   * @defaultValue none
   */
  titleField?: Known<keyof F & string> | null;
  /**
   * The address of an entry on the site, such as "/blog/{slug}": a path as browsers have it, without a query and a
   * fragment. Between braces stand slug, id, locale, or the key of a top-level field that holds one text, number,
   * boolean, date, datetime, reference or asset.
   * @defaultValue none
   */
  path?: `/${string}` | null;
  /**
   * The house style, for those who write entries.
   * @defaultValue none
   */
  guidance?: string;
  /**
   * What holds an entry back from publication, made by the functions of {@link rule}.
   * @defaultValue no rules
   */
  policy?: readonly Rule<Known<keyof F & string>>[];
  /** The fields by key, in the order that is kept; at most 500. A key never changes: with another key it is another field. */
  fields: F;
  /** Said by the builder already. */
  kind?: "singleton";
}

/** The options of {@link collection}. */
export interface CollectionOptions<F extends Fields = Fields, Name extends string = string, K extends Kind = Kind>
  extends Omit<SingletonOptions<F, Name>, "kind"> {
  /**
   * Whether it holds many entries or exactly one; {@link singleton} is the shorter way to say the latter.
   * @defaultValue "collection"
   */
  kind?: K;
}

/** A collection of entries. */
export function collection<Name extends string, F extends Fields, K extends Kind = "collection">(
  options: CollectionOptions<F, Name, K> & { fields: Checked<F, K> },
): Collection<Name>;

/** A collection of exactly one entry, such as the home page. It has no slug. */
export function singleton<Name extends string, F extends Fields>(
  options: SingletonOptions<F, Name> & { fields: Checked<F, "singleton"> },
): Collection<Name>;

export {};
