/** True for a text that begins with a document class, after any comments. */
export function beginsAsLatex(start: string): boolean {
  return /^\s{0,100}(?:%[^\n]{0,500}\n\s{0,100}){0,40}\\(?:documentclass|documentstyle)\b/.test(start)
}
