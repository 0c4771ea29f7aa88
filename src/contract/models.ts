import { z } from 'zod'
import { timestamp } from './common.ts'

/** The embedder as people name it; `ollama:` may be left out. */
const modelName = z
  .string()
  .trim()
  .min(1)
  .max(300)
  .regex(/^[^\s\p{Cc}]+$/u, 'must be the name of a model, such as embeddinggemma or builtin')
  .meta({ description: '`builtin`, or a model of the instance’s Ollama: `embeddinggemma`, `ollama:embeddinggemma`' })

const count = z.int().min(0)

export const modelIndex = z
  .object({
    state: z.enum(['in_use', 'building', 'kept']).meta({
      description: '`in_use`: searches ask it. `building`: it is made beside that one. `kept`: it was in use before',
    }),
    chunks: count.nullable(),
    size_bytes: count,
    created_at: timestamp,
    documents_done: count.nullable().meta({ description: 'Documents that are in it; null for the one in use' }),
    documents_total: count.nullable().meta({ description: 'Documents that have to be in it before it can be used' }),
    waiting_for: z.string().nullable().meta({ description: 'Why building it stands still; null while it goes on' }),
  })
  .meta({ id: 'ModelIndex' })
export type ModelIndex = z.infer<typeof modelIndex>

export const model = z
  .object({
    name: z.string(),
    available: z.boolean().meta({ description: 'It is built in, or the instance’s Ollama has it now' }),
    in_use: z.boolean(),
    known: z.boolean().meta({ description: 'Used with the prefixes and limits it was made for' }),
    dimensions: z.int().nullable(),
    size_bytes: z.number().nullable().meta({ description: 'Of the model itself; null for the built-in one' }),
    indexes: z.array(modelIndex).meta({ description: 'Two while a model that has changed is embedded anew' }),
  })
  .meta({ id: 'Model' })
export type Model = z.infer<typeof model>

export const modelList = z
  .object({
    models: z.array(model),
    ollama: z.object({ ok: z.boolean(), message: z.string() }),
  })
  .meta({ id: 'ModelList' })
export type ModelList = z.infer<typeof modelList>

export const modelUse = z.strictObject({ model: modelName }).meta({ id: 'ModelUse' })

export const modelUsed = z
  .object({
    model: z.string(),
    state: z.enum(['in_use', 'building']),
    documents_done: count,
    documents_total: count,
    notice: z.string().nullable().meta({ description: 'What should be known beside it' }),
  })
  .meta({ id: 'ModelUsed' })
export type ModelUsed = z.infer<typeof modelUsed>

export const modelPull = z.strictObject({ model: modelName }).meta({ id: 'ModelPull' })

export const modelPullLine = z
  .object({
    status: z.string().meta({ description: 'As Ollama says it; `success` in the last line, `error` where it failed' }),
    completed_bytes: z.number().nullable().meta({ description: 'Of all layers together; null before anything is known to come' }),
    total_bytes: z.number().nullable(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: 'ModelPullLine' })
export type ModelPullLine = z.infer<typeof modelPullLine>
