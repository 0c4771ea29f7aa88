import type { DoctorFinding, DoctorProgress, DoctorReport } from '../../../contract/doctor.ts'
import { presentExamination } from '../../../contract/present.ts'
import { FINDINGS, statusOf } from '../../../core/findings.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import type { Context } from '../../context.ts'
import { cancelled, EXIT } from '../../exit.ts'
import { joined, oneLine, safe, type Styled } from '../../view/safe.ts'
import { count } from '../../view/style.ts'
import { formatTable } from '../../view/table.ts'
import { dataFolder } from '../administer.ts'
import { createBar } from '../../view/progress-bar.ts'

export interface DoctorOptions {
  data: string | undefined
  /** `part/of`. */
  subset: string
  fix: boolean
}

type OnProgress = (progress: DoctorProgress) => void

const LABELS: Record<DoctorProgress['check'], string> = {
  folder: 'files and permissions',
  space: 'disk',
  database: 'database',
  clock: 'clock',
  originals: 'originals',
  statistics: 'statistics',
  index: 'index',
  page_images: 'images of pages',
  webhooks: 'webhooks',
  models: 'models',
  address: 'address',
}
const EXITS = { ok: EXIT.done, findings: EXIT.partial, fatal: EXIT.instance } as const

/** Examines an instance or a data folder, and prints what was found. Returns the exit code. */
export async function doctor(context: Context, options: DoctorOptions): Promise<number> {
  const folder = dataFolder(context, options)
  const bar = createBar(context)
  const onProgress: OnProgress = ({ check, done, total, unit }) => {
    const shown = (value: number) => (unit === 'bytes' ? formatBytes(value) : String(value))
    bar.show(`Checking ${LABELS[check]}`, done, total, total === null ? shown(done) : `${shown(done)} of ${shown(total)}`)
  }
  let report: DoctorReport
  try {
    report =
      folder === undefined
        ? await examineInstance(context, options, onProgress)
        : await examineDataFolder(context, { ...options, data: folder }, onProgress)
  } catch (error) {
    if (context.io.signal.aborted) throw cancelled()
    throw error
  } finally {
    bar.stop()
  }
  if (context.json) context.printJson(report)
  else await print(context, report, options)
  return EXITS[report.status]
}

async function examineDataFolder(
  { io: { env, signal } }: Context,
  { data, subset, fix }: DoctorOptions,
  onProgress: OnProgress,
): Promise<DoctorReport> {
  const { examineFolder } = await import('../../../serve/doctor.ts')
  const [part = 1, of = 1] = subset.split('/').map(Number)
  const examination = await examineFolder({ data, subset: { part, of }, wantsFix: fix, env }, { onProgress, signal })
  return presentExamination(examination)
}

/** The instance checks itself, and this machine checks how the instance is reached from here. */
async function examineInstance(context: Context, { subset, fix }: DoctorOptions, onProgress: OnProgress): Promise<DoctorReport> {
  const client = await context.client()
  const report = await client.doctor({ subset, fix }, onProgress)
  const { examineAddress } = await import('../../../serve/doctor.ts')
  const { certificates } = await context.connection()
  const found = await examineAddress(client.address, { certificates, signal: context.io.signal })
  const known = new Set(report.findings.map(({ code, place }) => `${code} ${place}`))
  const { findings: fromHere } = presentExamination({ checks: [], findings: found })
  const findings = [...report.findings, ...fromHere.filter(({ code, place }) => !known.has(`${code} ${place}`))]
  return { ...report, findings, status: statusOf(findings.map(({ severity, repaired }) => ({ severity, isRepaired: repaired }))) }
}

/** On a terminal: every check, and below it what was found. On a pipe: one line for each finding. */
async function print(context: Context, { checks, findings, status }: DoctorReport, { fix }: DoctorOptions): Promise<void> {
  if (!context.terminal) {
    const rows = findings.map(({ severity, code, place, message, advice, fixed, repaired }) => [
      repaired ? 'repaired' : severity,
      code,
      place ?? '-',
      message,
      repaired ? (fixed ?? '') : advice,
    ])
    if (rows.length > 0) context.print(formatTable([], rows, context.table))
  } else {
    const { style } = context
    const marks = { ok: style.good('ok'), findings: style.bad('!!'), skipped: style.dim('--') }
    const lines = checks.map(
      ({ name, status: state, message }) => safe`${marks[state]}  ${style.bold(LABELS[name])}: ${oneLine(message)}\n`,
    )
    await context.printLong(joined([...lines, ...findings.map((finding) => describe(context, finding))]))
  }
  const left = findings.filter(({ repaired }) => !repaired)
  const done = findings.length - left.length
  if (done > 0) context.notice(`${count(done, 'finding')} repaired.`)
  if (status === 'ok') return context.notice('Nothing is wrong.')
  const isFixable = left.some(({ code }) => FINDINGS[code].fix !== null)
  const advice = !fix && isFixable ? ' `docsearch doctor --fix` makes the repairs that are safe.' : ''
  context.notice(`${count(left.length, 'finding')}.${advice}`)
}

function describe({ style }: Context, { code, severity, message, advice, documents, fixed, repaired }: DoctorFinding): Styled {
  const head = !repaired ? (severity === 'warning' ? style.mark(severity) : style.bad(severity)) : style.good('repaired')
  const named = documents.length > 1 ? documents.map(({ id, path }) => safe`    ${id}  ${oneLine(path)}\n`) : []
  return joined([
    safe`\n${head} ${style.dim(code)}  ${oneLine(message)}\n`,
    ...named,
    ...(fixed === null ? [] : [safe`  ${oneLine(fixed)}\n`]),
    ...(repaired ? [] : [safe`  What to do: ${oneLine(advice)}\n`]),
  ])
}
