import { availableParallelism, cpus, totalmem } from 'node:os'

/** Describes the machine of a run, for the heads of reports. */
export function describeMachine(): string {
  const cores = `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'})`
  return `${cores}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${process.platform} ${process.arch}`
}
