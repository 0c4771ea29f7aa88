import { answerCalls } from '../../src/index/segments/store/call.ts'

export interface DyingCalls {
  echo: { request: { text: string }; answer: string }
  die: { request: object; answer: never }
}

answerCalls<DyingCalls>({
  echo: ({ text }) => text,
  // Ends the thread, not the process.
  die: () => process.exit(1),
})
