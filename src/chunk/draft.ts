import { MAX_PASSAGE_CHARS } from '../core/text-limits.ts'
import type { Piece } from './sentences.ts'

/** A block or sentence of a passage, with its place in the document. */
export interface PlacedPiece extends Piece {
  page: number
  isHeading: boolean
  /** The headings above it. Pieces of one section share the array. */
  path: string[]
  table: number | null
}

/** A passage that is being packed. */
export interface Draft {
  pieces: PlacedPiece[]
  tokens: number
  /** True if text before it is in no passage, so that it must not be joined to the passage before. */
  isAfterGap?: boolean
}

/** Returns true if the draft stays within `MAX_PASSAGE_CHARS` with this piece added, gaps included. */
export function hasRoomFor({ pieces }: Draft, piece: Pick<Piece, 'start' | 'end'>): boolean {
  return piece.end - (pieces[0] ?? piece).start <= MAX_PASSAGE_CHARS
}

/** Below this share of the target a passage is tiny: a heading doesn't end it, and it joins the passage before it. */
export const TINY_SHARE = 0.2
/** A passage may exceed the target by this factor when it takes in a tiny one. */
const MERGED_SHARE = 1.25

/** Joins each tiny passage at the end of a section to the passage before it, if that one has room and is on the same page. */
export function mergeTiny(drafts: readonly Draft[], target: number, maxTokens: number): Draft[] {
  const merged: Draft[] = []
  for (const draft of drafts) {
    const last = merged.at(-1)
    const sum = (last?.tokens ?? 0) + draft.tokens + 1
    const isTiny = draft.tokens < target * TINY_SHARE
    const hasRoom =
      last !== undefined && hasRoomFor(last, draft.pieces.at(-1)!) && sum <= Math.min(maxTokens, target * MERGED_SHARE)
    if (isTiny && draft.isAfterGap !== true && hasRoom && isSameSection(last, draft)) {
      last.pieces.push(...draft.pieces)
      last.tokens = sum
    } else merged.push(draft)
  }
  return merged
}

function isSameSection(before: Draft, draft: Draft): boolean {
  const path = draft.pieces[0]?.path
  return (
    before.pieces[0]?.page === draft.pieces.at(-1)?.page &&
    before.pieces.at(-1)?.path === path &&
    draft.pieces.at(-1)?.path === path
  )
}

/** Returns the headings of a passage. If it holds several short sections, the section with the most text gives the headings. */
export function mainPath(pieces: readonly PlacedPiece[]): string[] {
  const tokens = new Map<string[], number>()
  let main: string[] = []
  for (const piece of pieces) {
    const sum = (tokens.get(piece.path) ?? 0) + piece.tokens
    tokens.set(piece.path, sum)
    if (sum > (tokens.get(main) ?? 0)) main = piece.path
  }
  return main
}
