import { relative } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { clearFaults, reportedFaults } from './fault-report.ts'

/** Prints what the fault suite tried, what survived and how long it took, as a table for bench/RELIABILITY.md. */
export default class FaultSuite implements Reporter {
  #startedAt = 0

  onTestRunStart(): void {
    this.#startedAt = performance.now()
    clearFaults()
  }

  /** Vitest prints errors at the end, which is half an hour away. */
  onTestCaseResult(test: TestCase): void {
    for (const { message, stack } of test.result().errors ?? []) console.log(`${test.fullName}\n${message}\n${stack ?? ''}`)
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules.map((module) => {
      const tests = [...module.children.allTests()]
      const count = (state: string) => tests.filter((test) => test.result().state === state).length
      const name = relative('test', relative(process.cwd(), module.moduleId)).replace(/\.test\.ts$/, '')
      return {
        name,
        tests: tests.length,
        passed: count('passed'),
        skipped: count('skipped'),
        seconds: Math.round(module.diagnostic().duration / 1000),
      }
    })
    const sum = (key: 'tests' | 'passed' | 'skipped') => rows.reduce((total, row) => total + row[key], 0)
    const minutes = Math.round((performance.now() - this.#startedAt) / 60_000)
    const lines = [
      '| tests | tried | survived | seconds |',
      '| --- | --- | --- | --- |',
      ...rows.map(({ name, tests, passed, seconds }) => `| ${name} | ${tests} | ${passed} | ${seconds} |`),
      '',
      '| fault | tried | documents checked |',
      '| --- | --- | --- |',
      ...reportedFaults().map(({ fault, tried, documents }) => `| ${fault} | ${tried} | ${documents} |`),
      '',
      `${sum('passed')} of ${sum('tests')} tests passed, ${sum('skipped')} were skipped, in ${minutes} minutes.`,
    ]
    console.log(lines.join('\n'))
  }
}
