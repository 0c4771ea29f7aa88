import { cutTo, MAX_PASSAGE_CHARS, MAX_TITLE_CHARS, shorten } from '../core/text-limits.ts'
import type { Passage } from './passage-index.ts'

/** How many characters of each text of a passage to read: one more than the limit, which shows that a text was longer. */
const READ_CHARS = {
  text: MAX_PASSAGE_CHARS + 1,
  gap: MAX_PASSAGE_CHARS + 1,
  title: MAX_TITLE_CHARS + 1,
  heading: MAX_TITLE_CHARS + 1,
  context: MAX_TITLE_CHARS + 1,
} as const satisfies Partial<Record<keyof Passage, number>>

type Texts = Pick<Passage, 'text' | 'gap' | 'title' | 'heading' | 'context' | 'charStart' | 'charEnd'>

/**
 * Returns a passage within the limits of this version, because an index of an earlier version may have longer texts until a
 * rebuild. Keeps the beginning of a text that is too long, and adjusts the end of the passage.
 */
export function withinLimits<T extends Texts>(passage: T): T {
  const text = cutTo(passage.text, MAX_PASSAGE_CHARS)
  return {
    ...passage,
    text,
    charEnd: text.length < passage.text.length ? passage.charStart + text.length : passage.charEnd,
    gap: passage.gap.length > MAX_PASSAGE_CHARS ? '' : passage.gap,
    title: shorten(passage.title, MAX_TITLE_CHARS),
    heading: shorten(passage.heading, MAX_TITLE_CHARS),
    context: shorten(passage.context, MAX_TITLE_CHARS),
  }
}
