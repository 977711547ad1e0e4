/** A test file that passes and leaves a timer running. */
import t from 'tap'
import '../support/mod.ts'

t.pass('all is well, it seems')
setInterval(() => {}, 1000)
