import axios from 'axios'
import axiosRetry, { exponentialDelay } from 'axios-retry'
import { expectPets, headers, spendLimit, url } from './store.js'

axiosRetry(axios, { retryDelay: exponentialDelay })
await spendLimit()
expectPets((await axios.get(url, { headers })).data)
