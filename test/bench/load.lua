-- What wrk sends, and one line of JSON at its end. Arguments: method, body, and where one key does not do:
-- after how many requests the next one is due, and how the keys begin. Last, the pause before each request of a
-- connection, in milliseconds.
function init(args)
  wrk.method = args[1]
  if args[2] ~= "" then wrk.body = args[2] end
  local pause = tonumber(args[5])
  if pause then delay = function() return pause end end
  local every, key = tonumber(args[3]), args[4]
  if not every then return end
  local sent, ready = 0, nil
  request = function()
    if sent % every == 0 then
      wrk.headers["Authorization"] = "Bearer " .. key .. sent
      ready = wrk.format()
    end
    sent = sent + 1
    return ready
  end
end

function done(summary)
  local errors = summary.errors
  print(string.format(
    '\n{"requests":%d,"microseconds":%d,"refused":%d,"broken":%d}',
    summary.requests,
    summary.duration,
    errors.status,
    errors.connect + errors.read + errors.write + errors.timeout
  ))
end
