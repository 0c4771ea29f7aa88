import { z } from 'zod'
import { faultOf, MAX_RULE_SYNONYMS, MAX_SYNONYM_CHARS, tidyRule } from '../core/synonyms.ts'
import { listQuery, nextCursor, timestamp } from './common.ts'

const phrases = z.array(z.string().trim().min(1).max(MAX_SYNONYM_CHARS)).min(1).max(MAX_RULE_SYNONYMS)
const WORDS = 'Words and phrases'
const EXPANDS_TO =
  'What a question with one of `words` finds in addition. Null: each of `words` finds the others, and there are at least two'

export const synonym = z
  .object({
    id: z.string(),
    words: z.array(z.string()).meta({ description: WORDS }),
    expands_to: z.array(z.string()).nullable().meta({ description: EXPANDS_TO }),
    created_at: timestamp,
  })
  .meta({ id: 'Synonym' })
export type Synonym = z.infer<typeof synonym>

export const synonymList = z.object({ synonyms: z.array(synonym), next_cursor: nextCursor }).meta({ id: 'SynonymList' })
export type SynonymList = z.infer<typeof synonymList>
export const synonymListQuery = z.strictObject(listQuery)

const rule = z
  .strictObject({
    words: phrases.meta({ description: WORDS }),
    expands_to: phrases.nullable().default(null).meta({ description: EXPANDS_TO }),
  })
  .refine((sent) => faultOfSent(sent) === null, { error: ({ input }) => faultOfSent(input as SentRule) ?? '' })
  .meta({
    id: 'SynonymRule',
    description: `A rule has at most ${MAX_RULE_SYNONYMS} words and phrases. Each has at most ${MAX_SYNONYM_CHARS} characters, with a letter or a digit.`,
    examples: [{ words: ['capex', 'capital expenditure'] }, { words: ['refund'], expands_to: ['credit note', 'reimbursement'] }],
  })

interface SentRule {
  words: string[]
  expands_to?: string[] | null
}

function faultOfSent({ words, expands_to: expandsTo = null }: SentRule): string | null {
  return faultOf(tidyRule({ words, expandsTo }))
}

export const synonymsAdd = z.strictObject({ synonyms: z.array(rule).min(1) }).meta({ id: 'SynonymsAdd' })
export const synonymsReplace = z.strictObject({ synonyms: z.array(rule) }).meta({ id: 'SynonymsReplace' })
export type SynonymsSent = z.input<typeof synonymsReplace>

export const synonymsSaved = z
  .object({
    synonyms: z
      .array(
        synonym.extend({
          outcome: z.enum(['created', 'unchanged']).meta({ description: '`unchanged`: the project had this rule already' }),
        }),
      )
      .meta({ description: 'The rules sent, each once' }),
    removed: z.int().meta({ description: 'Number of rules that the project no longer has' }),
  })
  .meta({ id: 'SynonymsSaved' })
export type SynonymsSaved = z.infer<typeof synonymsSaved>
