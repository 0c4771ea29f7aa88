import { defineNoun } from '../../define.ts'
import { DATA_OPTIONS } from '../administer.ts'
import add from './add.ts'
import remove from './delete.ts'
import quota from './quota.ts'
import disable from './disable.ts'
import enable from './enable.ts'
import list from './list.ts'
import reset from './reset.ts'
import show from './show.ts'

export default defineNoun({
  name: 'users',
  summary: 'Add, list, limit, disable, reset and delete users',
  description: 'Add, list, limit, disable, reset and delete the users of an instance. Only its owner may do this.',
  options: DATA_OPTIONS,
  commands: [add, list, show, quota, disable, enable, reset, remove],
  standalone: list,
})
