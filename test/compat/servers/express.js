import express from 'express'
import { createSandbox } from 'petstore-sandbox'

const sandbox = await createSandbox({ listen: false })
const app = express()
app.use(sandbox.middleware)
app.use(express.static('page'))
const server = app.listen(0, '127.0.0.1', () =>
  console.log(`ready on http://localhost:${server.address().port}`),
)
