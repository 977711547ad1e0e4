import { createServer } from 'node:net'
import { createInterface } from 'node:readline'

/** The other end of `lineClient`: calls `operate` per line and answers when its promise settles. Resolves to the port. */
export async function lineServer(operate: (key: string, payload: string) => Promise<unknown>): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    let batch = ''
    const flush = () => {
      socket.write(batch)
      batch = ''
    }
    const answer = (line: string) => {
      if (batch === '') setImmediate(flush)
      batch += `${line}\n`
    }
    createInterface({ input: socket }).on('line', (line) => {
      const first = line.indexOf(' ')
      const second = line.indexOf(' ', first + 1)
      const id = line.slice(0, first)
      operate(line.slice(first + 1, second), line.slice(second + 1)).then(
        () => answer(id),
        (error) => {
          console.error(error)
          answer(`${id} !`)
        },
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
