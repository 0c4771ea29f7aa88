/** The folder of the running code: `src/` or `dist/`. */
const RUNNING = import.meta.url.replace(/core\/[^/]+$/, '')
const BUILT = RUNNING.replace(/[^/]+\/$/, 'dist/')

/**
 * Returns the built file of a module of `src/`. Threads and child processes start with it.
 *
 * Node could run the source file as well. But each thread strips the types in WebAssembly by itself, and V8 sometimes aborts a process that
 * has many such threads ("Check failed: jit_page.has_value()").
 */
export function builtModule(module: URL): URL {
  return new URL(BUILT + module.href.slice(RUNNING.length).replace(/\.ts$/, '.js'))
}
