/**
 * What the daemon logs to, in the shape of pino, which `serve/` passes in.
 * At `info` and above, never log a credential, a query or a document's text.
 */
export interface Logger {
  debug(fields: object, message?: string): void
  info(fields: object, message?: string): void
  warn(fields: object, message?: string): void
  error(fields: object, message?: string): void
  child(bindings: object): Logger
}

export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
}
