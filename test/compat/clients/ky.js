import ky from 'ky'
import { expectPets, headers, spendLimit, url } from './store.js'

await spendLimit()
expectPets(await ky(url, { headers }).json())
