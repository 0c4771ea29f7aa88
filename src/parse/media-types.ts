export const PDF = 'application/pdf'
export const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
export const TEXT = 'text/plain'
export const MARKDOWN = 'text/markdown'
export const HTML = 'text/html'

/** The end of every refusal by type. */
export const WHAT_IS_READ = 'docsearch reads PDF, DOCX, plain text, Markdown and HTML'
