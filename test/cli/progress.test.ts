import t from 'tap'
import { pauseAfter } from '../../http/cli/connection/poll.ts'
import { Progress } from '../../http/cli/terminal/progress.ts'

function stream(isTTY: boolean, columns = 80) {
  const said: string[] = []
  return { said, isTTY, columns, write: (text: string | Uint8Array) => said.push(String(text)) > 0 }
}

t.test('on a terminal progress is one line that is redrawn', (t) => {
  const terminal = stream(true)
  const progress = new Progress(terminal)
  progress.show(0, null)
  progress.show(120, 450)
  progress.show(120, 450)
  progress.show(450, 450)
  progress.clear()
  progress.clear()
  const redraw = '\r\u001b[2K'
  t.strictSame(terminal.said, [
    `${redraw}counting …`,
    `${redraw}${'█'.repeat(6)}${'░'.repeat(18)} 120 of 450 (26 %)`,
    `${redraw}${'█'.repeat(24)} 450 of 450 (100 %)`,
    redraw,
  ])
  t.end()
})

t.test('progress stays one line on a narrow terminal', (t) => {
  const terminal = stream(true, 20)
  new Progress(terminal).show(1, 3)
  t.equal(terminal.said.join(''), `\r\u001b[2K${'█'.repeat(7)}${'░'.repeat(11)}…`)
  t.end()
})

t.test('without a terminal, progress is a few lines', (t) => {
  const pipe = stream(false)
  const progress = new Progress(pipe)
  for (let done = 0; done < 100; done++) progress.show(done, 100)
  progress.clear()
  t.equal(pipe.said[0], `${'░'.repeat(24)} 0 of 100 (0 %)\n`)
  t.ok(pipe.said.length < 100 / 2)
  t.end()
})

t.test('watching leaves most requests of the rate limit to the project', (t) => {
  let [elapsed, looks] = [0, 0]
  for (; elapsed < 3_600_000; looks++) elapsed += pauseAfter(elapsed, 200 - looks)
  t.ok(looks < 100, `${looks} looks in an hour with 200 requests`)
  t.equal(pauseAfter(0, 20_000), 100)
  t.equal(pauseAfter(600_000, 20_000), 1000, 'where there are plenty, once a second')
  t.end()
})
