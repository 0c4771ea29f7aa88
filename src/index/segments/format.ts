import type { SectionsOf } from './sections.ts'

/**
 * The fields of a passage that are searched. The order is part of the file format: field `f` is bit `f` of a set of fields. The body comes
 * first because most words are only there: their set of fields is 1, which takes the fewest bytes.
 */
export const FIELDS = ['body', 'heading', 'title', 'name'] as const
export type Field = (typeof FIELDS)[number]
export const FIELD_COUNT = FIELDS.length
/** The document's name, the only field that is not part of the passage. Its terms therefore have no place in the passage. */
export const NAME_FIELD = FIELDS.indexOf('name')

/** Postings per block. A block is the unit of decoding and of skipping. */
export const BLOCK_POSTINGS = 128
/** The bit packing reads 32 bits at once, of which up to 7 precede the number. */
export const MAX_PACKED_BITS = 25
export const MAX_PASSAGES = 2 ** MAX_PACKED_BITS - 1
/** More than the terms of any passage within the limits of `core/text-limits.ts`. */
export const MAX_FIELD_LENGTH = 2 ** 16 - 1
/** A block stores its highest frequency in a field as one byte. This value stands for 255 and every higher frequency. */
export const UNBOUNDED_FREQUENCY = 255

/** Offsets within a section have 32 bits. */
export const MAX_SECTION_BYTES = 2 ** 32

/**
 * The sections of a segment (sections.ts describes the header). P, D and T are the numbers of passages, documents and terms. B is the number
 * of blocks of postings, counting only terms with several blocks. Documents are numbered from 0 by path, and passages from 0 by document and
 * index in the document. A varint has 7 bits in each byte, low bits first.
 *
 * - `summary`: P, D, then the number of terms of all passages, for each field.
 * - `terms`: the terms, ordered by hash, then by UTF-8 bytes. Each entry has the term's length in bytes, these bytes, and the sets of fields in
 *   which passages have the term (set `s` is bit `s - 1`). For each of these sets follows the number of passages that have the term in exactly
 *   these fields, then the term's number of blocks of postings. The only block of a term comes next; a term with several blocks has the number
 *   of the first one instead. Numbers are varints.
 * - `termHashes`, `termStarts`: the hash of each term, and where it starts in `terms`, T each. `termBuckets`: for each value of the first
 *   bits of a hash, the number of the first term whose hash starts with this value or a higher one. T ends the section.
 * - `postings`: one block for each 128 passages of a term. A block starts with its number of postings minus one (u8), the bits of a gap (u8),
 *   the set of fields (u8), and the packed gaps. A gap is the difference to the passage before, minus one; the first gap of a term counts from
 *   passage -1. For each of the fields follow the bits of a frequency (u8), the lowest frequency (varint), and the packed differences to the
 *   lowest frequency. At the end are the bits of a place (u8) and, passage by passage, the packed places of the term among the passage's
 *   terms. Terms of the name have no places. Packed numbers start at a byte, low bits first. Four zeros end `postings` and `terms`, because
 *   unpacking reads four bytes at once.
 * - `blockStarts`, `blockLasts`: where each block starts in `postings`, and its last passage, B each.
 * - `blockMaxFrequencies`, `blockMinLengths`: the highest frequency (255 means 255 or higher) and the shortest length in each block and field,
 *   4 × B each. They bound the score of every passage of the block, for any weights of the fields.
 * - `lengths`: the number of terms in each field of each passage, 4 × P.
 * - `rows`: the row ID of each passage in the table of passages, P. `passageDocuments`, `passageIndexes`: the document of each passage, and the
 *   passage's index in the document, P each.
 * - `passagePages`: the first and the last page of each passage, 2 × P. `textHashes`: 64 bits of a hash of its text, 2 × P.
 *   `languages`: the language of its text (text/language.ts), P.
 * - `documents`: 7 numbers for each document: its ID, name, path and media type (as numbers of strings), its version, the end of its tags in
 *   `documentTags`, and the end of its passages.
 * - `documentTags`: tags as numbers of strings. `documentTimes`: creation times in milliseconds, D.
 * - `idHashes`, `documentsByHash`: hashes of the documents' IDs in ascending order, and the document of each, D each.
 * - `nameHashes`, `documentsByName`: hashes of the folded names without their extensions, in ascending order, and the document of each, D each.
 * - `titleKeys`: the key of each document's title (document-names.ts). `documentsByTitle`: the documents in the order of their keys, D each.
 * - `foldedNames`, `foldedNameEnds`: the folded name of each document, in UTF-8, and where it ends, D.
 * - `strings`, `stringEnds`: each string once, in UTF-8, and where it ends.
 */
export const SEGMENT = {
  magic: 'DSsg',
  version: 5,
  large: ['postings'],
  sections: {
    summary: [1, 'f64'],
    terms: [2, 'u8'],
    termStarts: [3, 'u32'],
    termHashes: [24, 'u32'],
    termBuckets: [25, 'u32'],
    postings: [4, 'u8'],
    blockStarts: [5, 'u32'],
    blockLasts: [6, 'u32'],
    blockMaxFrequencies: [7, 'u8'],
    blockMinLengths: [8, 'u16'],
    lengths: [9, 'u16'],
    rows: [10, 'u64'],
    passageDocuments: [11, 'u32'],
    passageIndexes: [12, 'u32'],
    documents: [13, 'u32'],
    documentTags: [14, 'u32'],
    documentTimes: [15, 'f64'],
    strings: [16, 'u8'],
    stringEnds: [17, 'u32'],
    passagePages: [18, 'u32'],
    textHashes: [19, 'u32'],
    foldedNames: [20, 'u8'],
    foldedNameEnds: [21, 'u32'],
    idHashes: [22, 'u32'],
    documentsByHash: [23, 'u32'],
    nameHashes: [26, 'u32'],
    documentsByName: [27, 'u32'],
    titleKeys: [28, 'u32'],
    documentsByTitle: [29, 'u32'],
    languages: [30, 'u8'],
  },
} as const

/** How many numbers each document has in `documents`. */
export const DOCUMENT_NUMBERS = 7

export type SegmentSections = SectionsOf<(typeof SEGMENT)['sections']>
