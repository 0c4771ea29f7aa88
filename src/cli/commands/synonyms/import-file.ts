import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { ClientError, reasonOf } from '../../../client/errors.ts'
import type { SynonymsSent } from '../../../contract/synonyms.ts'
import { DocsearchError } from '../../../core/errors.ts'
import { readSynonymLine } from '../../../core/synonyms.ts'
import type { Context } from '../../context.ts'
import { usage } from '../../exit.ts'
import { oneLine } from '../../view/safe.ts'
import { count } from '../../view/style.ts'
import { confirm } from '../confirm.ts'
import { allSynonyms } from './rules.ts'

/** More than a request to the instance can have. */
const MAX_BYTES = 2_000_000

interface Rule {
  line: number
  sent: SynonymsSent['synonyms'][number]
}

interface Settings {
  project: string
  replace: boolean
  yes: boolean
}

/** Imports all rules of a file or none. */
export async function importSynonyms(context: Context, file: string, { project, replace, yes }: Settings): Promise<void> {
  const client = await context.client()
  const name = file === '-' ? 'Standard input' : file
  const rules = readRules(name, await readText(context, file, name))
  if (replace) {
    const { length } = await allSynonyms(client, project)
    const what = `the ${count(length, 'rule')} of project ${project} with ${count(rules.length, 'rule')}`
    if (length > 0) await confirm(context, yes, `Replace ${what}?`)
  }
  const save = replace ? client.synonyms.replace : client.synonyms.add
  const sent = rules.map((rule) => rule.sent)
  const { synonyms, removed } = await save(project, sent).catch((error: unknown) => {
    throw withLines(error, name, rules)
  })
  const created = synonyms.filter(({ outcome }) => outcome === 'created').length
  const unchanged = synonyms.length - created
  if (context.json) return context.printJson({ project, created, unchanged, removed })
  const parts = [`${created} added`, `${unchanged} unchanged`, ...(replace ? [`${removed} removed`] : [])]
  context.printLine(`Imported ${count(rules.length, 'rule')} into project ${project}: ${parts.join(', ')}`)
}

async function readText(context: Context, file: string, name: string): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  try {
    const stream: Readable = file === '-' ? context.io.stdin : createReadStream(file)
    for await (const part of stream) {
      const buffer = Buffer.from(part as Uint8Array | string)
      bytes += buffer.length
      if (bytes > MAX_BYTES) break
      parts.push(buffer)
    }
  } catch (error) {
    if (context.io.signal.aborted) throw error
    throw new DocsearchError('file_unreadable', `Could not read ${name}: ${reasonOf(error)}.`, { cause: error })
  }
  if (bytes > MAX_BYTES) throw usage(`${name} has more than ${MAX_BYTES / 1_000_000} MB. Split it and import the parts.`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts))
  } catch {
    throw usage(`${name} is not text in UTF-8. Save it as UTF-8 and import it again.`)
  }
}

/** Throws a usage error that lists every line with a fault. */
function readRules(name: string, text: string): Rule[] {
  const rules: Rule[] = []
  const faults: string[] = []
  for (const [i, content] of text.split(/\r\n|\r|\n/).entries()) {
    const rule = readSynonymLine(content)
    if (rule === null) continue
    if ('fault' in rule) faults.push(`${name}:${i + 1}: the rule ${rule.fault}`)
    else rules.push({ line: i + 1, sent: { words: [...rule.words], expands_to: rule.expandsTo && [...rule.expandsTo] } })
  }
  if (faults.length > 0) throw faulty(name, faults)
  if (rules.length === 0) throw usage(`${name} has no synonyms. Nothing was changed.`)
  return rules
}

/** Names the lines of rules that the instance refused. */
function withLines(error: unknown, name: string, rules: readonly Rule[]): unknown {
  if (!(error instanceof ClientError)) return error
  const faults = error.errors.flatMap(({ path, message }) => {
    const rule = rules[Number(/^synonyms\.(\d+)/.exec(path)?.[1])]
    return rule === undefined ? [] : [`${name}:${rule.line}: the rule ${message}`]
  })
  return faults.length === 0 ? error : faulty(name, faults)
}

/** A message from an instance must not look like another line. */
function faulty(name: string, faults: readonly string[]): Error {
  return usage(`${name} has ${count(faults.length, 'error')}. Nothing was imported.\n${faults.map(oneLine).join('\n')}`)
}
