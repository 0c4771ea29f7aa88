/** The reason of a failed file operation, without Node's error code and system call: "permission denied". */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return /^E[A-Z0-9]+: (.*?), /.exec(message)?.[1] ?? message
}
