import { createBuiltinReranker } from '../../src/rerank/builtin.ts'
import { rerankerConformance } from './reranker.ts'

rerankerConformance('the built-in reranker', () => createBuiltinReranker())
