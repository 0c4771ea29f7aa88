import type { SectionsOf } from './sections.ts'

/**
 * The fields of a passage whose words are searched. The order is part of the file format: field `f` is bit `f` of a set of fields. Most
 * words are in the body alone, so this set is 1, which takes the fewest bytes.
 */
export const FIELDS = ['body', 'heading', 'title', 'name'] as const
export type Field = (typeof FIELDS)[number]
export const FIELD_COUNT = FIELDS.length
/** The only field whose terms have no place in the passage. */
export const NAME_FIELD = FIELDS.indexOf('name')

/** Postings per block. A block is the unit of decoding and of skipping. */
export const BLOCK_POSTINGS = 128
/** The bit packing reads 32 bits at once, of which up to 7 precede the number. */
export const MAX_PACKED_BITS = 25
export const MAX_PASSAGES = 2 ** MAX_PACKED_BITS - 1
/** Above the most terms of a passage within `passage-limits.ts`. */
export const MAX_FIELD_LENGTH = 2 ** 16 - 1
/** A block's highest frequency in a field is one byte. This value stands for every frequency from 255 on. */
export const UNBOUNDED_FREQUENCY = 255

/** Where something starts in a section is 32 bits. */
export const MAX_SECTION_BYTES = 2 ** 32

/**
 * The sections of a segment (sections.ts has the header). P passages, D documents, T terms, B blocks of postings of terms with several. Passages
 * are numbered from 0, by path, then by their index in the document; so are documents. A varint has 7 bits a byte, the low ones first.
 *
 * - `summary`: P, D, then the number of terms in each field over all passages.
 * - `terms`: the terms in the order of their hashes, then of their UTF-8 bytes. Of each term its length in bytes, these bytes, a set of sets
 *   of fields, for each of these sets (set `s` is bit `s - 1`) how many passages have the term in exactly these fields, and its number of
 *   blocks of postings. A term with one block has it here, another one the number of its first block. Numbers are varints.
 * - `termHashes`, `termStarts`: the hash of each term, and where it starts in `terms`, T each. `termBuckets`: for each value of the first
 *   bits of a hash the number of the first term with these bits or higher ones, and T.
 * - `postings`: one block for each 128 passages of a term: postings minus one (u8), bits of a gap (u8), set of fields (u8), packed gaps
 *   to the passage before minus one (the term's first passage follows passage -1). Then for each of these fields bits of a frequency
 *   (u8), lowest frequency (varint), packed frequencies minus the lowest one. Then bits of a place (u8), and for each passage in turn
 *   the packed places of the term among the passage's terms; the terms of the name have none. Packed numbers start at a byte, the low bits
 *   first. Four zeros end `postings` and `terms`, because the unpacking reads four bytes at once.
 * - `blockStarts`, `blockLasts`: where each block starts in `postings`, and its last passage, B each.
 * - `blockMaxFrequencies`, `blockMinLengths`: for each block and field the highest frequency (255: unbounded) and the shortest length,
 *   4 × B each. They bound the score of every passage of the block, whatever the weights are.
 * - `lengths`: the number of terms in each field of each passage, 4 × P.
 * - `rows`: each passage's row ID in the store, P. `passageDocuments`, `passageIndexes`: its document and its place there, P each.
 * - `passagePages`: the first and the last page of each passage, 2 × P. `textHashes`: 64 bits of a hash of its text, 2 × P.
 * - `documents`: for each document its ID, name, path, media type (numbers of strings), its version, the end of its tags in
 *   `documentTags`, and the end of its passages, 7 × D.
 * - `documentTags`: numbers of strings. `documentTimes`: creation times in milliseconds, D.
 * - `idHashes`, `documentsByHash`: hashes of the documents' IDs in ascending order, and the document of each, D each.
 * - `foldedNames`, `foldedNameEnds`: the folded name of each document, in UTF-8, and where it ends, D.
 * - `strings`, `stringEnds`: each string once, in UTF-8, and where it ends.
 */
export const SEGMENT = {
  magic: 'DSsg',
  version: 3,
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
  },
} as const

/** Numbers of each document in `documents`. */
export const DOCUMENT_NUMBERS = 7

export type SegmentSections = SectionsOf<(typeof SEGMENT)['sections']>
