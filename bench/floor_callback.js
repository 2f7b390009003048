// Body of the CustomJS: what core.attention and figures.parts.mix_columns compute, for the columns that change.
const {q_x: [qx], q_y: [qy], tau: [tau]} = cb_obj.data
const {x: kx, y: ky} = keys.data, {x: vx, y: vy} = values.data
const scores = kx.map((x, j) => (x * qx + ky[j] * qy) / (Math.SQRT2 * tau))
const top = Math.max(...scores)
const shares = scores.map(score => Math.exp(score - top))
const sum = shares.reduce((a, b) => a + b)
const weights = shares.map(share => share / sum)
const mix = along => weights.reduce((total, weight, j) => total + weight * along[j], 0)
const [ox, oy] = [mix(vx), mix(vy)]
values.data = {
  ...values.data,
  radius: weights.map(weight => ring * Math.sqrt(weight)),
  alpha: weights.map(weight => 0.2 + 0.8 * weight),
  ox: weights.map(() => ox),
  oy: weights.map(() => oy),
}
output.data = {x: [ox], y: [oy]}
