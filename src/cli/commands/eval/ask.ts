import type { Client } from '../../../client/client.ts'
import { ClientError } from '../../../client/errors.ts'
import type { SearchAnswer, SearchRequest } from '../../../contract/search.ts'
import type { Context } from '../../context.ts'
import { EXIT, exitCodeOf } from '../../exit.ts'
import { byDocument, byPage, isOf } from './measures.ts'
import type { Answered, Outcome } from './outcome.ts'
import type { JudgedQuestion } from './questions.ts'

const SHOWN = 3
/** When an instance that is limited does not say for how long. */
const PAUSE_S = 5
const MOST_PAUSES = 20

type Asked = Pick<Outcome, 'questions' | 'failed' | 'fallbacks'>

/** Asks all, one after another. What concerns one question is listed under `failed`; what concerns all of them (no login, no instance) is thrown. */
export async function askAll(
  context: Context,
  client: Client,
  questions: readonly JudgedQuestion[],
  settings: Outcome['settings'],
  onProgress: (done: number) => void,
): Promise<Asked> {
  const asked: Asked = { questions: [], failed: [], fallbacks: [] }
  const reasons = new Map<string, number>()
  for (const [i, question] of questions.entries()) {
    onProgress(i)
    try {
      const answer = await askPatiently(context, client, requestOf(question, settings))
      asked.questions.push(judge(question, answer))
      const fallback = fallbackOf(answer, settings)
      if (fallback !== null) reasons.set(fallback, (reasons.get(fallback) ?? 0) + 1)
    } catch (error) {
      if (!(error instanceof ClientError) || concernsAll(error)) throw error
      asked.failed.push({ line: question.line, query: question.query, code: error.shownCode, message: error.message })
    }
  }
  onProgress(questions.length)
  asked.fallbacks = [...reasons].map(([reason, number]) => ({ reason, questions: number }))
  return asked
}

/** One that is not allowed, not there or not answering is so for every question; a project that is not there or a failure inside is of one. */
function concernsAll(error: ClientError): boolean {
  const code = exitCodeOf(error)
  return (
    code === EXIT.cancelled ||
    code === EXIT.login ||
    code === EXIT.unreachable ||
    code === EXIT.busy ||
    error.code === 'invalid_answer'
  )
}

/** Limits are waited for: a long file has more questions than a key may ask in a minute. */
async function askPatiently(context: Context, client: Client, request: SearchRequest): Promise<SearchAnswer> {
  for (let pauses = 0; ; pauses++) {
    try {
      return await client.search(request)
    } catch (error) {
      if (!(error instanceof ClientError) || exitCodeOf(error) !== EXIT.busy || pauses >= MOST_PAUSES) throw error
      await context.io.wait((error.retryAfter ?? PAUSE_S) * 1000, context.io.signal)
    }
  }
}

function requestOf({ query, projects }: JudgedQuestion, settings: Outcome['settings']): SearchRequest {
  return {
    query,
    limit: settings.limit,
    ...(projects.length > 0 && { project: projects }),
    ...(settings.mode !== 'hybrid' && { mode: settings.mode as NonNullable<SearchRequest['mode']> }),
    ...(!settings.rerank && { rerank: false }),
    ...(settings.group && { group_by: 'document' as const }),
  }
}

function judge({ line, query, projects, expect }: JudgedQuestion, { results, took_ms }: SearchAnswer): Answered {
  const document = byDocument(results, expect)
  const page = byPage(results, expect)
  const before = (page ?? document).rank ?? Infinity
  const instead = results
    .filter((_, i) => i + 1 < before)
    .slice(0, SHOWN)
    .map((result) => ({ rank: result.rank, document: nameOf(result), page: result.chunk.page_start }))
  return { line, query, projects, expect, document, page, instead, took_ms }

  function nameOf(result: SearchAnswer['results'][number]): string {
    const given = expect.find((one) => isOf(result, one.document))
    return given?.document ?? result.document.name
  }
}

/** Figures of a search that fell back are not those of the one that was asked for. */
function fallbackOf(answer: SearchAnswer, settings: Outcome['settings']): string | null {
  if (answer.mode !== settings.mode) return answer.mode_reason ?? `Searched in ${answer.mode} mode.`
  if (settings.rerank && answer.rerank.reason !== null && answer.results.length > 0) return answer.rerank.reason
  return null
}
