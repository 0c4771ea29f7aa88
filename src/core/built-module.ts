/** The folder of the running code: `src/` or `dist/`. */
const RUNNING = import.meta.url.replace(/core\/[^/]+$/, '')
const BUILT = RUNNING.replace(/[^/]+\/$/, 'dist/')

/**
 * Returns the built file of a module of `src/`, for a thread or a child process to start with.
 *
 * Node could run the source file too. But it strips the types in WebAssembly, separately in each thread, and when a process has many
 * threads, V8 sometimes aborts it ("Check failed: jit_page.has_value()").
 */
export function builtModule(module: URL): URL {
  return new URL(BUILT + module.href.slice(RUNNING.length).replace(/\.ts$/, '.js'))
}
