/** The id of an entry. */
export type EntryId = `ent_${string}`;

/** The id of an asset. */
export type AssetId = `ast_${string}`;

/** The id of a revision. */
export type RevisionId = `rev_${string}`;

/** A date, such as 2026-02-28. */
export type IsoDate = string;

/** A datetime with an offset, such as 2026-02-28T09:30:00+01:00. */
export type IsoDatetime = string;

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The tree of a richText field. */
export interface RichText {
  type: "doc";
  content: RichTextNode[];
  attrs?: RichTextAttributes | null;
}

/** A node of a richText tree. */
export type RichTextNode = RichTextText | RichTextElement;

/** A run of text, with the marks that apply to it. */
export interface RichTextText {
  type: "text";
  text: string;
  marks?: RichTextMark[];
  attrs?: RichTextAttributes | null;
}

/** Every other node. Its types are those of the editor, such as paragraph or heading. */
export interface RichTextElement {
  type: string;
  text?: undefined;
  content?: RichTextNode[];
  marks?: RichTextMark[];
  attrs?: RichTextAttributes | null;
}

/** A mark, such as bold or link. */
export interface RichTextMark {
  type: string;
  attrs?: RichTextAttributes | null;
}

/** The attributes of a node or a mark: these have a meaning, others are the editor's. */
export interface RichTextAttributes {
  /** An entry that is mentioned or linked. */
  entry?: EntryId | null;
  /** An asset that is embedded. */
  asset?: AssetId | null;
  /** The alternative text of the asset in this place. */
  alt?: string | null;
  /** Where a link leads. */
  href?: string | null;
  /** The level of a heading. */
  level?: 1 | 2 | 3 | 4 | 5 | 6 | null;
  [name: string]: Json | undefined;
}

/** An entry as public reads answer it. */
export interface Entry<Collection extends string, Slug extends string | null, Fields> {
  id: EntryId;
  collection: Collection;
  slug: Slug;
  fields: Fields;
  meta: {
    /** The revision that was read. */
    revision: RevisionId;
    publishedAt: IsoDatetime;
  };
}

/** An entry in the place of a reference that the parameter include names. */
export interface IncludedEntry<Slug extends string | null, Fields> {
  id: EntryId;
  slug: Slug;
  fields: Fields;
}

/** Fields in which the references named by Keys are included. */
export type WithIncluded<Fields, Includes, Keys extends keyof Includes> = Omit<Fields, Keys> &
  Pick<Includes, Keys>;

/** The answer to the read of a list. */
export interface ListResponse<Item> {
  data: Item[];
  pagination: {
    /** Gets the next page; null on the last one. */
    nextCursor: string | null;
  };
}

/** The answer to the read of one entry. */
export interface SingleResponse<Item> {
  data: Item;
}

/** The body of a request that creates an entry. */
export interface CreateBody<Draft> {
  data: Draft;
  slug?: string;
  changeSetId?: string;
  changeSummary?: string;
}

/** The body of a request that edits an entry: only the fields that change, null to clear one. */
export interface PatchBody<Draft> {
  data: { [Key in keyof Draft]?: Draft[Key] | null };
  slug?: string;
  changeSetId?: string;
  changeSummary?: string;
  expectedRevisionId?: RevisionId;
}
