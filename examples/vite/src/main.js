import { addPet, listPets } from './store.js'

const status = document.querySelector('[role=status]')
const list = document.querySelector('ul')
const form = document.querySelector('form')

async function show() {
  const { pets, remaining } = await listPets()
  status.textContent = `${remaining} requests left`
  list.replaceChildren(
    ...pets.map(({ name }) => Object.assign(document.createElement('li'), { textContent: name })),
  )
}

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const name = new FormData(form).get('name')
  try {
    await addPet({ name, categoryId: 1, status: 'available' })
    await show()
  } catch (error) {
    status.textContent = String(error)
  }
})

await show()
