import { z } from 'zod'
import { timestamp } from './common.ts'

/** Name of an embedder. The prefix `ollama:` is optional. */
const modelName = z
  .string()
  .trim()
  .min(1)
  .max(300)
  .regex(/^[^\s\p{Cc}]+$/u, 'must be the name of a model, such as embeddinggemma or builtin')
  .meta({
    description: '`builtin`, or a model on the Ollama of the instance, such as `embeddinggemma` or `ollama:embeddinggemma`',
  })

const count = z.int().min(0)

export const modelIndex = z
  .object({
    state: z.enum(['in_use', 'building', 'kept']).meta({
      description:
        '`in_use`: searches use this index. `building`: docsearch builds it while another index serves. `kept`: a former index that is still on disk',
    }),
    chunks: count
      .nullable()
      .meta({ description: 'Number of passages of your documents. The owner of the instance gets the number of all passages' }),
    size_bytes: count.nullable().meta({ description: 'Only for the owner of the instance, null for others' }),
    created_at: timestamp,
    documents_done: count.nullable().meta({
      description: 'Your documents in the index; for the owner of the instance, all documents. Null for the index in use',
    }),
    documents_total: count.nullable().meta({ description: 'Documents that the index needs before it can be used' }),
    passages_done: count
      .nullable()
      .meta({ description: 'Passages in the index, and those embedded for it since. Null for the index in use' }),
    passages_total: count
      .nullable()
      .meta({ description: 'Passages that the index needs. Those to come are counted as the index in use has cut them' }),
    tokens_per_second: z.number().nullable().meta({
      description:
        'How fast the model embeds now. Only for the owner of the instance, null for others and while nothing is measured',
    }),
    seconds_left: count
      .nullable()
      .meta({ description: 'How long building will take, by its speed until now. Null like `tokens_per_second`' }),
    waiting_for: z.string().nullable().meta({ description: 'Why building has stopped. Null while it continues' }),
  })
  .meta({ id: 'ModelIndex' })
export type ModelIndex = z.infer<typeof modelIndex>

export const model = z
  .object({
    name: z.string(),
    available: z.boolean().meta({ description: 'True if the model is built in, or if the Ollama of the instance has it now' }),
    in_use: z.boolean(),
    known: z.boolean().meta({ description: 'True if docsearch knows the prefixes and limits that the model was trained with' }),
    dimensions: z.int().nullable(),
    size_bytes: z.number().nullable().meta({ description: 'Size of the model itself. Null for the built-in model' }),
    indexes: z
      .array(modelIndex)
      .meta({ description: 'Normally at most one. Two while docsearch rebuilds the index of a model that has changed' }),
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
export const modelTestRequest = z.strictObject({ model: modelName }).meta({ id: 'ModelTestRequest' })

export const modelUsed = z
  .object({
    model: z.string(),
    state: z.enum(['in_use', 'building', 'requested']).meta({
      description:
        '`requested`: the process that writes the index has not answered yet, or no such process runs. Repeat the request to learn its answer',
    }),
    documents_done: count,
    documents_total: count,
    notice: z.string().nullable().meta({ description: 'Something that the user should know about this change' }),
  })
  .meta({ id: 'ModelUsed' })
export type ModelUsed = z.infer<typeof modelUsed>

export const modelTest = z
  .object({
    model: z.string(),
    known: z.boolean().meta({ description: 'True if docsearch knows the prefixes and limits that the model was trained with' }),
    dimensions: z.int(),
    passage_tokens: count.meta({ description: 'The most tokens that a passage for this model has' }),
    tokens_per_second: z.number(),
    seconds_for_all: count.meta({ description: 'How long the model would take for all passages of the instance' }),
    checks: z.array(
      z.object({
        check: z.enum(['repeats', 'meaning', 'languages', 'accents', 'length']),
        result: z.enum(['passed', 'limited', 'failed']).meta({
          description: '`limited`: the model lacks something that not everybody needs. `failed`: searches will suffer',
        }),
        message: z.string(),
      }),
    ),
  })
  .meta({ id: 'ModelTest' })
export type ModelTest = z.infer<typeof modelTest>

export const modelPull = z.strictObject({ model: modelName }).meta({ id: 'ModelPull' })

export const modelPullLine = z
  .object({
    status: z.string().meta({ description: 'The status from Ollama. The last line has `success` or `error`' }),
    completed_bytes: z.number().nullable().meta({ description: 'Sum over all layers. Null until the sizes are known' }),
    total_bytes: z.number().nullable(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: 'ModelPullLine' })
export type ModelPullLine = z.infer<typeof modelPullLine>
