import { readSynonymLine, type SynonymRule } from '../../core/synonyms.ts'

/**
 * Abbreviations and phrases that mean the same, in the format of `docsearch synonyms import`. We wrote the list ourselves. An entry belongs
 * here if it is right in nearly every text: leave out abbreviations with several meanings and words that only resemble each other. An
 * abbreviation that is also an ordinary word counts only in capitals.
 */
const LIST = `
# Accounting and reports
capex, capital expenditure, capital spending
capital expenditure => purchases of property plant and equipment, additions to property plant and equipment
capex => purchases of property plant and equipment, additions to property plant and equipment
opex, operating expenses, operating expenditure
cogs, cost of goods sold, cost of sales
cogs => cost of revenue, cost of products sold
cost of goods sold => cost of revenue, cost of products sold
cost of sales => cost of revenue, cost of products sold
income statement, statement of income, statement of operations, statement of earnings, profit and loss statement, profit and loss account
P&L => income statement, profit and loss, statement of operations, statement of earnings
balance sheet, statement of financial position, statement of financial condition
cash flow statement, statement of cash flows
statement of changes in equity, statement of stockholders equity, statement of shareholders equity
ebit => operating income, operating profit, earnings before interest and taxes
ebitda, earnings before interest taxes depreciation and amortization
ebitdar, earnings before interest taxes depreciation amortization and rent
d&a => depreciation and amortization
sg&a => selling general and administrative
r&d => research and development
ppe, ppne => property plant and equipment
pp&e => property plant and equipment
AR => accounts receivable
accounts receivable, trade receivables
accounts payable, trade payables
dso, days sales outstanding
dpo, days payable outstanding
dio, days inventory outstanding
ccc => cash conversion cycle
roi, return on investment
roe, return on equity
roa, return on assets
roic, return on invested capital
eps, earnings per share, income per share
p/e => price earnings ratio
fcf, free cash flow
npv, net present value
irr, internal rate of return
wacc, weighted average cost of capital
ltv, loan to value
ytd, year to date
yoy, year over year, year on year
qoq, quarter over quarter
cagr, compound annual growth rate
gaap, generally accepted accounting principles
ifrs, international financial reporting standards
md&a => management's discussion and analysis
10-k => annual report
10-q => quarterly report
8-k => current report
revenue, net sales
top line => revenue, net sales
topline => revenue, net sales
bottom line => net income, net earnings
net income, net earnings, net profit
net loss, loss for the year
gross profit, gross margin
operating income, operating profit, income from operations
profit before tax, income before income taxes, earnings before income taxes
operating margin => operating income
net profit margin => net income
effective tax rate => provision for income taxes
inventory, inventories, stock on hand
stockholders, shareholders
stock repurchase, share repurchase, share buyback, stock buyback
goodwill impairment, impairment of goodwill
doubtful accounts, bad debts, credit losses
retained earnings, accumulated profits
accumulated deficit, accumulated losses
long-term debt, non-current borrowings
short-term debt, current borrowings
current ratio, working capital ratio => current assets, current liabilities
working capital => current assets, current liabilities
interest coverage => interest expense
fiscal year, financial year
q1, first quarter
q2, second quarter
q3, third quarter
q4, fourth quarter
guidance => outlook
headcount => number of employees
salary, wages => payroll, compensation
mergers and acquisitions, m&a
ipo, initial public offering
esop => employee stock ownership plan
rsu, restricted stock unit
kpi, key performance indicator
vat, value added tax
gst, goods and services tax
tin => taxpayer identification number
iban, international bank account number
apr, annual percentage rate
apy, annual percentage yield
aml => anti-money laundering
kyc, know your customer
etf, exchange traded fund
reit, real estate investment trust
esg, environmental social and governance

# Business
ceo, chief executive officer
cfo, chief financial officer
coo, chief operating officer
cto, chief technology officer
cio, chief information officer
ciso, chief information security officer
HR => human resources
PR => public relations
b2b, business to business
b2c, business to consumer
crm, customer relationship management
erp, enterprise resource planning
rfp, request for proposal
rfq, request for quotation
rfi, request for information
po number => purchase order number
sow, statement of work
moq, minimum order quantity
bom => bill of materials
sku, stock keeping unit
eta, estimated time of arrival
eod => end of day
okr, objectives and key results
sop, standard operating procedure
qa => quality assurance
qc => quality control
smb, small and medium business
sme => small and medium enterprises
msrp, manufacturer's suggested retail price
rma, return merchandise authorization
usp, unique selling proposition
faq, frequently asked questions
tbd, to be determined
asap, as soon as possible
fte, full-time equivalent
pto, paid time off
paid time off, paid leave, annual leave, vacation days
wfh, work from home, working from home
work from home, remote work, telework, telecommuting, home office
sick leave, sick days, sick pay
maternity leave, parental leave => maternity leave, parental leave, paternity leave
layoff, redundancy, downsizing
resignation => notice of termination
fired, dismissed
dismissal, termination of employment
onboarding => new employees
overtime => extra hours
per diem, daily allowance
business trip, business travel
reimbursement, refund of expenses
pay rise, salary increase, pay increase
bank holiday, public holiday
competitor, rival
vendor, supplier
invoice, bill => invoice
headquarters, head office
hq => headquarters, head office
subsidiary => affiliate

# Law and contracts
nda, non-disclosure agreement, confidentiality agreement
non-disclosure agreement => duty of confidentiality
t&c => terms and conditions
terms and conditions, terms of service, terms of use
tos => terms of service, terms of use
eula, end user license agreement
sla, service level agreement
msa, master service agreement, master services agreement
dpa => data processing agreement
gdpr, general data protection regulation
pii, personally identifiable information
personal data, personal information
hipaa => health insurance portability and accountability act
llc => limited liability company
ip rights => intellectual property
IP => intellectual property, internet protocol
intellectual property => patents, trademarks, copyrights
force majeure, act of god
governing law, applicable law, choice of law
limitation of liability, liability cap
indemnity, indemnification, hold harmless
lawsuit, litigation, legal proceedings
legal battles, legal disputes => legal proceedings, litigation
plaintiff, claimant
attorney, lawyer, legal counsel
power of attorney, poa
landlord, lessor
tenant, lessee, renter
lease, tenancy agreement, rental agreement
security deposit, rental deposit
eviction => repossession, termination of the lease
notice period, period of notice
breach of contract, violation of the agreement
assignment of rights, transfer of rights
arbitration => dispute resolution
non-compete, covenant not to compete, restrictive covenant
will and testament, testament
prenup, prenuptial agreement
dui, driving under the influence
cease and desist => injunction
proxy statement, def 14a
court order, injunction

# Software and technology
k8s, kubernetes
i18n, internationalization
l10n, localization
a11y, accessibility
repo, repository
db => database
config, configuration
env var, environment variable
auth => authentication, authorization
authn => authentication
authz => authorization
login, log in, sign in
logout, log out, sign out
sign up, register
2fa, two-factor authentication
mfa, multi-factor authentication
sso, single sign-on
saml => single sign-on
rbac, role-based access control
acl, access control list
api key, access key
tls => transport layer security
ssl => secure sockets layer
vpn, virtual private network
dns, domain name system
cdn, content delivery network
cli, command line interface
gui, graphical user interface
ui => user interface
ux => user experience
OS => operating system
vm, virtual machine
ci/cd => continuous integration, continuous delivery
pull request, merge request
pr review => pull request
dev => development
prod => production
docs => documentation
app => application
param => parameter
arg => argument
func => function
regex, regular expression
async => asynchronous
sync => synchronization
oom, out of memory
oop, object-oriented programming
orm, object relational mapping
sdk, software development kit
ide => development environment
json => javascript object notation
js => javascript
ai, artificial intelligence
ml => machine learning
llm, large language model
nlp, natural language processing
ocr, optical character recognition
rag => retrieval augmented generation
gpu, graphics processing unit
cpu, central processing unit
cpu => processor
RAM => memory
ssd, solid state drive
rate limit, throttling, quota => rate limit, throttling
crash, abort => crash, abnormal termination
bug => defect
outage, downtime
backup, back up
rollback, roll back
uninstall, remove the software
encrypt at rest => encryption
password reset, forgotten password
eol, end of life
deprecated => obsolete
latency, response time
throughput => requests per second
webhook => callback
cron job, scheduled task
cache invalidation => clear the cache
dark mode, dark theme
saas, software as a service
paas, platform as a service
iaas, infrastructure as a service
iot, internet of things
IT => information technology

# Everyday English, health and units
tv, television
phone => telephone
mobile phone, cell phone, cellphone, smartphone
photo, photograph
fridge, refrigerator
car, automobile
petrol, gasoline
lorry, truck
postcode, zip code
appt => appointment
dob, date of birth
ssn, social security number
id card, identity card
driving licence, driver's license, driving permit
doctor => physician
GP => general practitioner
BP => blood pressure
high blood pressure, hypertension
heart attack, myocardial infarction
stroke => cerebrovascular accident
flu, influenza
bmi, body mass index
covid, covid-19, coronavirus
ER => emergency room
icu, intensive care unit
ecg, ekg, electrocardiogram
mri, magnetic resonance imaging
ct scan, computed tomography
adhd, attention deficit hyperactivity disorder
ptsd, post-traumatic stress disorder
otc => over the counter
uk, united kingdom
usa, united states
eu => european union
UN => united nations
nyc, new york city
asst => assistant
mgmt => management
dept, department
govt, government
approx => approximately
qty, quantity
kg, kilogram
km, kilometer, kilometre
mph, miles per hour
sq ft, square feet
hvac, heating ventilation and air conditioning
AC => air conditioning
diy, do it yourself
rsvp => reply to the invitation
q&a => questions and answers
a/c => air conditioning
e-mail, email
wi-fi, wifi, wireless network
`

export const SHIPPED_SYNONYMS: readonly SynonymRule[] = LIST.split('\n').flatMap((line) => {
  const rule = readSynonymLine(line)
  if (rule === null) return []
  if ('fault' in rule) throw new Error(`the shipped synonyms have a wrong line: ${line}`)
  return rule
})
