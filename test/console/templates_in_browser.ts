/** Message templates as an agent looks after them: written, refused, edited, deleted. */
import t from 'tap'
import type { Json } from '../e2e/client.ts'
import { files } from '../http/media_files.ts'
import { openAgentWindow } from './agent_window.ts'
import { ANY_IMPACT } from './window.ts'

t.setTimeout(600_000)

const agent = await openAgentWindow(t)
const { page, inspect, demo, operator, h1 } = agent
const list = `${demo.base_url}/console#/projects/${demo.project_id}/broadcasts/templates`
const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
const look = (name: string) => inspect(name, ANY_IMPACT)
const users = (await operator('GET', `users?company_id=${demo.company_id}`)).data
const user = users.find(({ email }: Json) => email === demo.agent.email)
const permit = (...permissions: string[]) => operator('PATCH', `users/${user._id}`, { permissions })
const preview = page.getByRole('complementary', { name: 'Preview' })

await permit('console.agent')
await agent.openSignedIn()

t.test('without the permission templates are read, and the form says what is missing', async (t) => {
  await page.goto(`${demo.base_url}/console#/projects/${demo.project_id}/broadcasts`)
  await page.getByRole('link', { name: 'Templates' }).click()
  await h1().filter({ hasText: 'Templates' }).waitFor()
  await page.getByRole('link', { name: 'order_update' }).first().waitFor()
  t.equal(await page.getByRole('link', { name: 'New template' }).count(), 0)
  t.same(await look('templates'), [])
  await page.getByLabel('Search templates by name, text or language').fill('appointment')
  await page.getByRole('link', { name: 'appointment_reminder' }).first().waitFor()
  t.equal(await page.getByRole('link', { name: 'order_update' }).count(), 0)
  await page.goto(`${list}/new`)
  await page.getByText('You may not write templates').waitFor()
  t.same(await look('template-forbidden'), [])
})

t.test('a template is written, and each fault is shown at its field', async (t) => {
  await permit('console.agent', 'console.manage_templates')
  await page.goto(list)
  await page.reload()
  await page.getByRole('link', { name: 'New template' }).click()
  await h1().filter({ hasText: 'New template' }).waitFor()
  await page.getByRole('textbox', { name: 'Name' }).fill('Order Ready')
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Hi {{1}}, your order {{2}} can be collected.')
  await page.getByRole('button', { name: 'Submit for review' }).click()
  await page.getByText('Some fields need another value.').waitFor()
  t.equal(await page.locator('.field-error').count(), 3, 'the name and both examples')
  t.same(await look('template-faults'), [])
  await page.getByRole('textbox', { name: 'Name' }).fill('order_ready')
  await page.getByRole('textbox', { name: 'Header' }).fill('Good news')
  await page.getByRole('textbox', { name: 'Example of {{1}}' }).fill('Ana')
  await page.getByRole('textbox', { name: 'Example of {{2}}' }).fill('A-1001')
  await page.getByRole('button', { name: 'Link' }).click()
  await page.getByLabel('Text of button 1').fill('See the order')
  await page.getByLabel('Link of button 1').fill('https://shop.example.com/orders/{{1}}')
  await page.getByRole('textbox', { name: 'Example of the end of the link of button 1' }).fill('a-1001')
  await preview.getByText('Hi Ana, your order A-1001 can be collected.').waitFor()
  await page.evaluate('scrollTo(0, 0)')
  t.same(await look('template-form'), [])
  t.equal(await overflow(), 0)
  await page.getByRole('button', { name: 'Submit for review' }).click()
  await page.getByText('“order_ready” was submitted for review.').waitFor()
  await page.getByRole('link', { name: 'order_ready' }).waitFor()
})

t.test('the example of a picture is uploaded and submitted', async (t) => {
  await page.goto(`${list}/new`)
  await page.getByRole('textbox', { name: 'Name' }).fill('with_picture')
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Our offer of the week.')
  await page.getByRole('combobox', { name: 'Kind of header' }).selectOption('IMAGE')
  await page.getByRole('button', { name: 'Submit for review' }).click()
  await page.getByText('Some fields need another value.').waitFor()
  t.equal(await page.locator('.field-error').count(), 1, 'the file')
  const chosen = { name: 'offer.png', mimeType: 'image/png', buffer: files.png }
  await page.getByLabel('Example of the file').setInputFiles(chosen)
  await page.getByText('offer.png').waitFor()
  t.equal(await page.locator('.field-error').count(), 0)
  t.same(await look('template-file'), [])
  await page.getByRole('button', { name: 'Submit for review' }).click()
  await page.getByText('“with_picture” was submitted for review.').waitFor()
})

t.test('an edit is submitted again, and a deletion asks first', async (t) => {
  await page.getByRole('link', { name: 'order_ready' }).click()
  await h1().filter({ hasText: 'order_ready' }).waitFor()
  t.equal(await page.getByRole('textbox', { name: 'Header' }).inputValue(), 'Good news')
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Your order can be collected.')
  await page.getByRole('textbox', { name: 'Example of the end of the link of button 1' }).fill('a-1001')
  await page.getByRole('button', { name: 'Submit for review' }).click()
  await page.getByText('The edit was submitted for review.').waitFor()
  await page.getByText('Your order can be collected.').waitFor()
  await page.getByRole('link', { name: 'order_ready' }).click()
  await page.getByRole('button', { name: 'Delete template' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('cannot be used again for 30 days').waitFor()
  t.same(await look('template-deletion'), [])
  await dialog.getByRole('button', { name: 'Delete template' }).click()
  await page.getByText('“order_ready” is deleted.').waitFor()
  t.equal(await page.getByRole('link', { name: 'order_ready' }).count(), 0)
})

t.test('a small screen has everything below each other', async (t) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${list}/new`)
  await h1().filter({ hasText: 'New template' }).waitFor()
  t.equal(await overflow(), 0)
  t.same(await look('template-form-small'), [])
})
