import { defineNoun } from '../../define.ts'
import list from './list.ts'
import pull from './pull.ts'
import remove from './remove.ts'
import test from './test.ts'
import use from './use.ts'

export default defineNoun({
  name: 'models',
  summary: 'List, download, test, use and remove embedding models',
  commands: [list, pull, test, use, remove],
  standalone: list,
})
