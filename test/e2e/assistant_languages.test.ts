/** Assistants answer in the language of the person's last message: an answer in another one is mended before it leaves. */
import t from 'tap'
import { newPerson, openDesk } from './assistant_desk.ts'
import { joinWorld, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const desk = await openDesk(world, tenant)

const ENGLISH = 'Your parcel left our house this morning, and the driver brings it to you tomorrow before noon.'

const rows: [language: string, question: string, answer: string][] = [
  [
    'Spanish',
    '¿Dónde está mi pedido? Lo espero desde la semana pasada y todavía no ha llegado nada.',
    'Su paquete salió esta mañana y el repartidor lo entrega mañana antes del mediodía.',
  ],
  [
    'Portuguese',
    'Onde está a minha encomenda? Estou esperando desde a semana passada e ainda não chegou nada.',
    'A sua encomenda saiu hoje de manhã e o entregador não demora: chega amanhã antes do meio-dia.',
  ],
  [
    'French',
    'Où est ma commande ? Je l’attends depuis la semaine dernière et rien n’est encore arrivé.',
    'Votre colis est parti ce matin et le livreur vous l’apporte demain avant midi.',
  ],
  [
    'German',
    'Wo ist meine Bestellung? Ich warte seit letzter Woche darauf, und es ist noch nichts angekommen.',
    'Ihr Paket hat unser Haus heute Morgen verlassen, und der Fahrer bringt es morgen vor dem Mittag.',
  ],
  [
    'Italian',
    'Dov’è il mio ordine? Lo aspetto dalla settimana scorsa e non è ancora arrivato niente.',
    'Il suo pacco è partito questa mattina e il corriere lo porta domani prima di mezzogiorno.',
  ],
  [
    'Dutch',
    'Waar is mijn bestelling? Ik wacht er sinds vorige week op en er is nog niets aangekomen.',
    'Uw pakket is vanochtend vertrokken en de bezorger brengt het morgen voor twaalf uur.',
  ],
  [
    'Polish',
    'Gdzie jest moje zamówienie? Czekam na nie od zeszłego tygodnia i jeszcze nic nie przyszło.',
    'Twoja paczka wyjechała dziś rano, a kurier dostarczy ją jutro przed południem.',
  ],
  [
    'Turkish',
    'Siparişim nerede? Geçen haftadan beri bekliyorum ve hâlâ hiçbir şey gelmedi.',
    'Paketiniz bu sabah yola çıktı ve kurye onu yarın öğleden önce getiriyor.',
  ],
  [
    'Russian',
    'Где мой заказ? Я жду его с прошлой недели, и до сих пор ничего не пришло.',
    'Ваша посылка отправлена сегодня утром, курьер привезёт её завтра до полудня.',
  ],
  [
    'Arabic',
    'أين طلبي؟ أنتظره منذ الأسبوع الماضي ولم يصل أي شيء حتى الآن.',
    'غادر طردك هذا الصباح وسيصل غدا قبل الظهر إلى باب منزلك.',
  ],
  [
    'Chinese',
    '我的订单在哪里？我从上周开始等，到现在还没有收到任何东西。',
    '您的包裹今天早上已经发出，明天中午之前就会送到。',
  ],
  [
    'Japanese',
    '注文した商品はどこですか。先週から待っていますが、まだ何も届いていません。',
    'お荷物は今朝発送されました。明日の正午までにお届けの予定です。',
  ],
]

for (const [language, question, answer] of rows) {
  t.test(`a person who writes in ${language} is answered in ${language}`, async (t) => {
    const phone = newPerson()
    await desk.script(question.slice(0, 30), { answer: ENGLISH })
    await desk.script(`Write your answer again in ${language}`, { answer })
    await desk.says(phone, question)
    t.match(await desk.answered(phone), [{ message: { body: answer } }])
    const ticket = await desk.ticketOf(phone)
    const [turn] = await desk.turns(`ticket_id=${ticket._id}`)
    t.match(turn, { outcome: 'answered', answer })
  })
}

t.test('the last message decides, not those before it', async (t) => {
  const phone = newPerson()
  const [, , , german] = rows
  const [, question, answer] = german!
  const first = `Where is my order? I have waited for it since last week, and nothing has come so far. ${phone}`
  await desk.script(phone, { answer: ENGLISH })
  await desk.says(phone, first)
  await desk.answered(phone)
  await desk.script(question.slice(0, 30), { answer })
  await desk.says(phone, question)
  t.match(await desk.answered(phone, 2), [{ message: { body: ENGLISH } }, { message: { body: answer } }])
})
