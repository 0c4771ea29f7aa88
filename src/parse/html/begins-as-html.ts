/**
 * True for a text that begins with a tag of an HTML page, after any comments.
 * It skips the comments one by one: an expression for any number of them can take exponential time, and this runs in the daemon.
 */
export function beginsAsHtml(start: string): boolean {
  let at = /^[^\w<]*/.exec(start)?.[0].length ?? 0
  const step = /(?:<\?xml[^>]*>|<!--[^]*?-->)\s*/y
  for (step.lastIndex = at; step.test(start);) at = step.lastIndex
  return /^<(?:!doctype\s+html|html|head|body)[\s>]/i.test(start.slice(at, at + 50))
}
